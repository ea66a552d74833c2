import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, prepare, root } from './prepare.mjs';

// The operator's command line against the running local system.
// A service's name before the command sends it to that service; all others are auth's.
await prepare();
const [first, ...rest] = process.argv.slice(2);
const [service, args] = ['analytics', 'resource'].includes(first) ? [first, rest] : ['auth', process.argv.slice(2)];
if (first === undefined || first === '--help') showAllCommands();
const env = { ...process.env, ...localEnvironment()[service] };
const entry = join(root, `services/${service}/dist/admin/main.js`);
const { status } = spawnSync(process.execPath, [entry, ...args], { env, stdio: 'inherit' });
process.exit(status ?? 1);

function showAllCommands() {
  for (const name of ['auth', 'resource', 'analytics']) {
    console.error(`npm run --silent admin -- ${name === 'auth' ? '' : `${name} `}<command>`);
    spawnSync(process.execPath, [join(root, `services/${name}/dist/admin/main.js`)], { stdio: 'inherit' });
  }
  process.exit(2);
}

function localEnvironment() {
  const deployment = process.env.DEPLOYMENT ?? 'links';
  const file = join(process.env.WAYMARK_LOCAL_DIR ?? join(root, '.local'), `run.${deployment}.json`);
  if (!existsSync(file)) fail(`Waymark (${deployment}) is not running here: start it with npm start.`);
  return JSON.parse(readFileSync(file, 'utf8')).admin_env;
}
