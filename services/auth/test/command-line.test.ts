import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { connect } from 'amqplib';
import { bindCommands } from '@waymark/kernel/command-line/command';
import { factsOf } from '@waymark/kernel/command-line/options';
import { createProgram } from '@waymark/kernel/command-line/program';
import { PARKED_COMMANDS } from '@waymark/kernel/command-line/parked-commands';
import { entryOf, ROOT } from '@waymark/launcher/process-table';
import { Topology } from '@waymark/kernel/broker/topology';
import { freshBacking } from '@waymark/testing/backing';
import { withoutNotice } from '@waymark/testing/command-output';
import { waitFor } from '@waymark/testing/wait-for';

const PROGRAM = entryOf('auth', 'admin/main.js');
const backing = freshBacking();
const env = { PATH: process.env['PATH'], ...backing };
const ALL = Object.entries({ ...COMMANDS, ...PARKED_COMMANDS });

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

function admin(...args: string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' });
  return { status, stdout, stderr: withoutNotice(stderr) };
}

/** Runs the program in a pseudo-terminal, and types each answer once the screen ends with its question. */
async function inTerminal(args: string[], answers: [question: string, answer: string][], more: object = {}) {
  const line = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], { env: { ...env, TERM: 'xterm', ...more } });
  let screen = '';
  const rest = [...answers];
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    if (rest[0] && screen.includes(rest[0][0])) child.stdin.write(`${rest.shift()![1]}\r`);
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, screen };
}

/** In this process: one for each command would take a minute. */
function helpOf(name: string): string {
  const commands = { ...bindCommands(COMMANDS, adminTargets(env)), ...bindCommands(PARKED_COMMANDS, env) };
  const program = createProgram('auth', commands, () => Promise.resolve());
  const leaf = name.split(' ').reduce((group, word) => group.commands.find((each) => each.name() === word)!, program);
  return leaf.helpInformation();
}

const newUser = ['user', 'create', '--email', 'ada@example.com', '--name', 'Ada'];

describe('help', () => {
  test.each([[['--help']], [['-h']], [['help']]])('%j lists every group of commands', (args) => {
    const { status, stdout, stderr } = admin(...args);
    expect([status, stderr]).toEqual([0, '']);
    for (const group of [
      'user',
      'workspace',
      'member',
      'token',
      'session',
      'link',
      'recount',
      'warehouse',
      'audit',
      'parked',
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${group} +\\S`, 'm'));
    }
    expect(stdout).toMatch(/^ {2}78 {2}wrong configuration$/m);
  });

  test.each([[['user', '--help']], [['help', 'user']]])('%j lists the commands of the group', (args) => {
    const { status, stdout, stderr } = admin(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ {2}create +\S/m);
    expect(stdout).not.toMatch(/^ {2}workspace /m);
  });

  test('of one command is printed to stdout', () => {
    const { status, stdout, stderr } = admin('user', 'create', '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ {2}--email <[a-z]+> +\S/m);
  });

  test.each(ALL)('of %s describes every option', (name, { options }) => {
    const stdout = helpOf(name);
    const flags = factsOf(options).flatMap(({ flag, isSecret }) => (isSecret ? [`${flag}-stdin`] : [flag]));
    for (const flag of [...flags, '--json']) expect(stdout).toMatch(new RegExp(`^  ${flag}( <[a-z]+>)? +[a-z]`, 'im'));
  });

  test('goes to stderr with 2 when the command is missing', () => {
    const { status, stdout, stderr } = admin('user');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: waymark-admin user');
  });
});

test('--version prints the version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(admin('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  [['usr', 'list'], "unknown command 'usr' (Did you mean user?)"],
  [['user', 'crate'], "unknown command 'crate' (Did you mean create?)"],
  [['user', 'create', '--emial', 'a@b.co'], "unknown option '--emial' (Did you mean --email?)"],
  [['user', 'create', '--email', 'x'], '--email: must be an e-mail address; --name is missing'],
  [['user', 'create', '--email', `${'x'.repeat(250)}@b.co`, '--name', 'A'], '--email: must be at most 254 characters'],
  [['workspace', 'plan', '--slug', 'a', '--plan', 'gold'], '--plan: must be one of free, pro, business, enterprise'],
  [['user', 'list', '--limit', '501'], '--limit: must be at most 500'],
  [['user', 'list', '--limit', '1m'], '--limit: must be a number'],
  [['user', 'list', '--limit', '1.5'], '--limit: must be a whole number'],
  [['user', 'list', '--starts-with', 'x'.repeat(321)], '--starts-with: must be at most 320 characters long'],
  [['user', 'list', 'all'], 'too many arguments'],
  [['warehouse', 'check', '--workspace', 'a'], "'warehouse' is a command of analytics"],
  [['link', 'other', '--help'], "'link' is a command of resource"],
  [['link', 'reports', '--help'], 'kubectl exec statefulset/redirect -- waymark-admin link reports --help'],
  [[...newUser, '--password', 'a good password'], '--password takes no value'],
  [[...newUser, '--password-prompt'], '--password-prompt: there is no terminal to ask on: use --password-stdin'],
  [[...newUser, '--password-stdin'], '--password-stdin: the standard input is empty'],
  [['user', 'erase', '--yes'], '--email: either the e-mail address or the id is required'],
  [['user', 'erase', '--email', 'a@b.co', '--id', 'usr_1', '--yes'], '--email: either the e-mail address or the id'],
  [['token', 'revoke', '--id', 'tok_1'], 'There is no terminal to ask on: add --yes to confirm'],
])('the wrong call %j ends with 2 and one line', (args, problem) => {
  const { status, stdout, stderr } = admin(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect(stderr).toContain(problem);
});

test('a missing setting ends with 78 and its name', () => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'user', 'list'], { env: {}, encoding: 'utf8' });
  expect([status, stderr]).toEqual([78, 'error: bad configuration: MONGODB_URI is not set\n']);
});

test('ends quietly when its reader has seen enough', async () => {
  const child = spawn(process.execPath, [PROGRAM, '--help'], { env });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  expect([status, stderr]).toEqual([0, '']);
});

describe('in a terminal', () => {
  test('asks for a password twice, and does not show it', async () => {
    const secret = 'typed in a terminal';
    const { status, screen } = await inTerminal(
      [...newUser, '--password-prompt'],
      [
        ['password: ', secret],
        ['password again: ', secret],
      ],
    );
    expect(screen).not.toContain(secret);
    expect(screen).toMatch(/email: +ada@example\.com/);
    expect(status).toBe(0);
  });

  test('two different entries are refused', async () => {
    const { status, screen } = await inTerminal(
      ['user', 'create', '--email', 'bob@example.com', '--name', 'Bob', '--password-prompt'],
      [
        ['password: ', 'typed in a terminal'],
        ['password again: ', 'typed otherwise'],
      ],
    );
    expect([status, screen]).toEqual([2, expect.stringContaining('the two entries differ')]);
  });

  test('what cannot be undone needs a yes', async () => {
    const revoke = ['token', 'revoke', '--id', 'tok_1'];
    const refused = await inTerminal(revoke, [['Continue? [y/N] ', '']]);
    expect([refused.status, refused.screen]).toEqual([130, expect.stringContaining('cancelled: nothing was changed')]);
    const confirmed = await inTerminal(revoke, [['Continue? [y/N] ', 'y']]);
    expect([confirmed.status, confirmed.screen]).toEqual([
      1,
      expect.stringContaining('--id: The token does not exist'),
    ]);
    const erase = ['workspace', 'erase', '--slug', 'erased', '--wait', '0'];
    expect(admin('workspace', 'create', '--slug', 'erased', '--name', 'E', '--owner', 'ada@example.com').status).toBe(
      0,
    );
    expect(admin(...erase)).toMatchObject({ status: 2, stdout: '' });
    expect(admin(...erase, '--yes').status).toBe(0);
    const report = admin(...erase);
    expect([report.status, report.stdout]).toEqual([0, expect.stringContaining('ordered at')]);
    const said = await inTerminal([...revoke, '--yes'], []);
    expect(said.screen).not.toContain('Continue?');
    expect(said.status).toBe(1);
  });

  test('Ctrl-C at a question ends with 130', async () => {
    const { status, screen } = await inTerminal([...newUser, '--password-prompt'], [['password: ', '\u0003']]);
    expect([status, screen]).toEqual([130, expect.stringContaining('interrupted')]);
  });

  test('titles are bold, unless NO_COLOR is set', async () => {
    expect((await inTerminal(['user', '--help'], [])).screen).toContain('\u001b[1mUsage:');
    expect((await inTerminal(['user', '--help'], [], { NO_COLOR: '1' })).screen).not.toContain('\u001b[');
    expect(admin('user', '--help').stdout).not.toContain('\u001b[');
  });
});

test('a suspension is published by the command itself, without a running service, and it says when it is in force', async () => {
  const args = ['user', 'create', '--email', 'eve@example.com', '--name', 'Eve'];
  expect(admin(...args)).toMatchObject({ status: 0 });
  expect(admin('workspace', 'create', '--slug', 'phish', '--name', 'P', '--owner', 'eve@example.com').status).toBe(0);

  // A test's processes declare only their own queues; those of an installation declare all.
  const declaring = { ...env, AMQP_DECLARE: 'all' };
  const suspend = ['workspace', 'suspend', '--slug', 'phish', '--reason', 'Abuse.', '--links', 'block', '--json'];
  const results: unknown[] = [];
  const event = await waitFor('a suspension that is published', async () => {
    const { stdout } = spawnSync(process.execPath, [PROGRAM, ...suspend], { env: declaring, encoding: 'utf8' });
    results.push(JSON.parse(stdout));
    const published = await takeSuspension();
    // On a very busy machine a command that does not reach the broker in time leaves its event to the service.
    if (!published) admin('workspace', 'resume', '--slug', 'phish');
    return published;
  });

  expect(results.at(-1)).toEqual({
    slug: 'phish',
    reason: 'Abuse.',
    links: 'block',
    in_force: expect.stringContaining('links: within 5 seconds'),
  });
  expect(event).toMatchObject({ workspace: 'phish' });
});

/** Returns the suspension that the redirect would receive, if it is published. */
async function takeSuspension(): Promise<{ type: string } | undefined> {
  const queue = new Topology(backing.AMQP_NAMESPACE).queue('redirect.workspaces');
  const connection = await connect(backing.AMQP_URL);
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    for (;;) {
      const message = await channel.get(queue, { noAck: true });
      if (!message) return undefined;
      const event = JSON.parse(message.content.toString()) as { type: string };
      if (event.type === 'workspace.suspended') return event;
    }
  } catch {
    // No command has declared the queue yet.
    return undefined;
  } finally {
    await connection.close();
  }
}
