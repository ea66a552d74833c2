import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, prepare, root } from './prepare.mjs';

// The operator's command line against the running local system.
// A service's name before the command sends it to that service; `parked` concerns the queues of every service; all
// other commands are auth's.
const serviceProgram = (service) => `services/${service}/dist/admin/main.js`;
const BROKER_PROGRAM = 'shared/kernel/dist/broker/admin.js';
await prepare();
const [first, ...rest] = process.argv.slice(2);
const [service, args] = ['analytics', 'resource'].includes(first) ? [first, rest] : ['auth', process.argv.slice(2)];
if (first === undefined || first === '--help') showAllCommands();
const env = { ...process.env, ...localEnvironment()[service] };
const program = first === 'parked' ? BROKER_PROGRAM : serviceProgram(service);
const { status } = spawnSync(process.execPath, [join(root, program), ...args], { env, stdio: 'inherit' });
process.exit(status ?? 1);

function showAllCommands() {
  const programs = [
    ['', serviceProgram('auth')],
    ['', BROKER_PROGRAM],
    ['resource ', serviceProgram('resource')],
    ['analytics ', serviceProgram('analytics')],
  ];
  for (const [prefix, path] of programs) {
    console.error(`npm run --silent admin -- ${prefix}<command>`);
    spawnSync(process.execPath, [join(root, path)], { stdio: 'inherit' });
  }
  process.exit(2);
}

function localEnvironment() {
  const deployment = process.env.DEPLOYMENT ?? 'links';
  const file = join(process.env.WAYMARK_LOCAL_DIR ?? join(root, '.local'), `run.${deployment}.json`);
  if (!existsSync(file)) fail(`Waymark (${deployment}) is not running here: start it with npm start.`);
  return JSON.parse(readFileSync(file, 'utf8')).admin_env;
}
