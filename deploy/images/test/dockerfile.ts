import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';

export const DOCKERFILE = join(ROOT, 'deploy/images/Dockerfile');

/** An executed stage: its file system is a folder. */
export interface Stage {
  root: string;
  workdir: string;
  env: Record<string, string>;
  user?: string;
  command?: string[];
}

interface Instruction {
  keyword: string;
  rest: string;
}

/**
 * Executes on this machine, without containers, the instructions that our Dockerfile has. Base images
 * are empty folders; a stage in `given` is not built: its `/app` is that folder.
 */
export function follow(folder: string, args: Record<string, string>, given: Record<string, string>): Stage {
  const stages = new Map<string, Stage>();
  const globals: Record<string, string> = {};
  let stage: Stage | undefined;
  let values: Record<string, string> = {};
  let isGiven = false;
  for (const { keyword, rest } of instructions()) {
    const text = keyword === 'CMD' ? rest : expand(rest, { ...values, ...stage?.env });
    if (keyword === 'FROM') {
      const name = / AS (\S+)$/.exec(text)?.[1] ?? 'image';
      isGiven = name in given;
      stage = { root: isGiven ? given[name]! : join(folder, name), workdir: '/', env: {} };
      stages.set(name, stage);
      values = { ...globals };
      if (!isGiven) mkdirSync(stage.root, { recursive: true });
    } else if (keyword === 'ARG') {
      const [name = '', value = ''] = text.split('=');
      values[name] = args[name] ?? value;
      if (!stage) globals[name] = values[name];
    } else if (stage && !isGiven) {
      apply(stage, { keyword, rest: text }, stages, given);
    }
  }
  if (!stage) throw new Error('the Dockerfile has no stage');
  return stage;
}

export function instructions(): Instruction[] {
  const text = readFileSync(DOCKERFILE, 'utf8').replace(/\\\n/g, ' ');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [keyword = '', ...words] = line.split(' ');
    return { keyword, rest: words.join(' ').trim() };
  });
}

function apply(
  stage: Stage,
  { keyword, rest }: Instruction,
  stages: Map<string, Stage>,
  given: Record<string, string>,
) {
  const inside = (path: string) => join(stage.root, posix.resolve(stage.workdir, path));
  switch (keyword) {
    case 'WORKDIR':
      stage.workdir = posix.resolve(stage.workdir, rest);
      mkdirSync(inside('.'), { recursive: true });
      return;
    case 'ENV': {
      const [name = '', value = ''] = rest.split('=');
      stage.env[name] = value;
      return;
    }
    case 'USER':
      stage.user = rest;
      return;
    case 'CMD':
      stage.command = JSON.parse(rest) as string[];
      return;
    case 'RUN':
      run(stage, inside('.'), rest);
      return;
    case 'COPY': {
      const [, from, source = '', target = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? [];
      if (from === undefined) copyContext(inside(target));
      else copy(sourceIn(from, source, stages, given), inside(target));
      return;
    }
    default:
      throw new Error(`the Dockerfile has ${keyword}, which this test does not follow`);
  }
}

function sourceIn(from: string, source: string, stages: Map<string, Stage>, given: Record<string, string>): string {
  if (from in given) return join(given[from]!, posix.relative('/app', source));
  return join(stages.get(from)!.root, source);
}

/** Copies the contents of a folder into the target, as COPY does; the source must exist. */
function copy(source: string, target: string): void {
  statSync(source);
  cpSync(source, target, { recursive: true, verbatimSymlinks: true });
}

/** Runs a command with the stage's absolute paths, but not as its users. */
export function run(stage: Stage, cwd: string, command: string): void {
  const here = command.replaceAll(/(?<=\s)\/(?=\w)/g, `${stage.root}/`).replaceAll(/ --(owner|group)=\w+/g, '');
  const { PATH, HOME } = process.env;
  execFileSync('sh', ['-ec', here], { cwd, env: { PATH, HOME, ...stage.env, npm_config_prefer_offline: 'true' } });
}

const expand = (text: string, values: Record<string, string>): string =>
  text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`the Dockerfile uses ${name} without declaring it`);
    return values[name];
  });

/** Returns the files of an engine's build context: those not ignored by git, filtered by .dockerignore. */
export function contextFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const rules = ignoreRules();
  const isIn = (file: string) => rules.reduce((isIncluded, rule) => (rule.of(file) ? rule.includes : isIncluded), true);
  return listed
    .toString()
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)) && isIn(file));
}

/** Returns the rules in order; the last match decides, and a rule for a folder covers its contents. */
function ignoreRules(): { includes: boolean; of: (file: string) => boolean }[] {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const includes = line.startsWith('!');
      const pattern = line
        .slice(includes ? 1 : 0)
        .replaceAll(/[.+^$()|[\]\\]/g, '\\$&')
        .replaceAll(/\*\*\/|\*\*|\*/g, (stars) => ({ '**/': '(.*/)?', '**': '.*' })[stars] ?? '[^/]*');
      const expression = new RegExp(`^${pattern}(/.*)?$`);
      return { includes, of: (file) => expression.test(file) };
    });
}

function copyContext(target: string): void {
  for (const file of contextFiles()) {
    mkdirSync(join(target, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(target, file));
  }
}
