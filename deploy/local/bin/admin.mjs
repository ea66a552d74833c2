import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, prepare, root } from './prepare.mjs';

// The operator's command line against the running local system, or against MONGODB_URI where that is set.
// A service's name before the command sends it to that service; all others are auth's.
prepare();
const [first, ...rest] = process.argv.slice(2);
const [service, args] = ['analytics', 'resource'].includes(first) ? [first, rest] : ['auth', process.argv.slice(2)];
const env = { ...process.env, ...(process.env.MONGODB_URI ? {} : localEnvironment()[service]) };
const entry = join(root, `services/${service}/dist/admin/main.js`);
const { status } = spawnSync(process.execPath, [entry, ...args], { env, stdio: 'inherit' });
process.exit(status ?? 1);

function localEnvironment() {
  const deployment = process.env.DEPLOYMENT ?? 'links';
  const file = join(process.env.WAYMARK_LOCAL_DIR ?? join(root, '.local'), `run.${deployment}.json`);
  if (!existsSync(file))
    fail(`Waymark (${deployment}) is not running here: start it with npm start, or set MONGODB_URI.`);
  return JSON.parse(readFileSync(file, 'utf8')).admin_env;
}
