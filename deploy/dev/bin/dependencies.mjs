import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCall } from '../../images/parse-call.mjs';
import { fail, prepare, root } from './prepare.mjs';

// npm run graphs: checks the rules of dependency-cruiser.config.mjs, and writes the graph of the folders of each process
// into its README. With --check, as lint calls it in a prepared checkout, it compares the graphs instead.
const SERVICES = ['auth', 'resource', 'redirect', 'analytics', 'webhook', 'domain', 'audit'];
const PROCESSES = ['gateway', ...SERVICES.map((name) => `services/${name}`)];
const PLACE = /(?<=<!-- graph -->\n)[^]*?(?=<!-- \/graph -->)/;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

const { values } = parseCall({
  usage: `usage: npm run graphs
  checks the rules for imports, and writes the graph of each process's folders into its README`,
  options: { check: { type: 'boolean' } },
});
const isCheck = values.check === true;
if (!isCheck) await prepare();
const { modules, summary } = cruise();
for (const { rule, from, to, cycle } of summary.violations) {
  const path = cycle?.length ? [from, ...cycle.map(({ name }) => name)].join(' → ') : `${from} → ${to}`;
  console.error(`${rule.name}: ${path}`);
}
const outdated = PROCESSES.filter((path) => !hasGraph(path));
if (isCheck && outdated.length > 0) console.error(`Run npm run graphs: outdated in ${outdated.join(', ')}.`);
process.exit(summary.violations.length > 0 || (isCheck && outdated.length > 0) ? 1 : 0);

function cruise() {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const folders = ['gateway', 'services', 'shared', 'deploy'];
  const args = [program, '--config', 'dependency-cruiser.config.mjs', '--output-type', 'json', ...folders];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, maxBuffer: OUTPUT_BYTES_MAX });
  try {
    return JSON.parse(stdout.toString());
  } catch {
    return fail(`dependency-cruiser failed:\n${stderr.toString()}`);
  }
}

/** Writes the graph unless this is a check. */
function hasGraph(path) {
  const file = join(root, path, 'README.md');
  const text = readFileSync(file, 'utf8');
  if (!PLACE.test(text)) return false;
  const updated = text.replace(PLACE, `\n${graphOf(path)}\n`);
  if (updated !== text && !isCheck) writeFileSync(file, updated);
  return updated === text;
}

/** A diagram of which folder imports which; the files next to the folders (`app.ts`, `main.ts`) import all of them. */
function graphOf(path) {
  const folderOf = (file) => new RegExp(`^${path}/src/([^/]+)/`).exec(file)?.[1];
  const folders = new Set();
  const edges = new Set();
  for (const { source, dependencies } of modules) {
    const from = folderOf(source);
    if (!from) continue;
    folders.add(from);
    for (const { resolved } of dependencies) {
      const imported = folderOf(resolved);
      if (imported && imported !== from) edges.add(`${from} --> ${imported}`);
    }
  }
  const linked = new Set([...edges].flatMap((edge) => edge.split(' --> ')));
  const alone = [...folders].filter((folder) => !linked.has(folder));
  const lines = [...alone.sort(), ...[...edges].sort()].map((line) => `  ${line}`);
  return ['```mermaid', 'flowchart TD', ...lines, '```', ''].join('\n');
}
