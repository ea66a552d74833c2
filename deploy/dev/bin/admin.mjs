import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fail, prepare, root } from './prepare.mjs';

const DEPLOYMENTS = ['links', 'qr'];

// The operator's command line against the running local system: starts the program of the service that has the command.
await prepare();
const { commandGroupOf } = createRequire(import.meta.url)(join(root, 'shared/contract/dist/operator-commands.js'));
const args = process.argv.slice(2);
// The name of a service before its command was needed in 0.1.0.
if (['analytics', 'resource'].includes(args[0])) args.shift();
const group = commandGroupOf(args.filter((arg) => !arg.startsWith('-') && arg !== 'help'));
const service = group?.service ?? 'auth';
const isHelp = group === undefined || args.some((arg) => ['help', '-h', '--help'].includes(arg));
const env = { ...process.env, WAYMARK_ADMIN_ROUTED: '1', ...(isHelp ? {} : localEnvironment()[service]) };
const program = join(root, `services/${service}/dist/admin/main.js`);
const { status } = spawnSync(process.execPath, [program, ...args], { env, stdio: 'inherit' });
process.exit(status ?? 1);

/** Of the deployment that `DEPLOYMENT` names, or else of the only one that runs. */
function localEnvironment() {
  const folder = process.env.WAYMARK_LOCAL_DIR ?? join(root, '.local');
  const fileOf = (deployment) => join(folder, `run.${deployment}.json`);
  const running = DEPLOYMENTS.filter((deployment) => existsSync(fileOf(deployment)));
  const deployment = process.env.DEPLOYMENT ?? (running.length === 1 ? running[0] : DEPLOYMENTS[0]);
  if (running.includes(deployment)) return JSON.parse(readFileSync(fileOf(deployment), 'utf8')).admin_env;
  const other = running.length > 0 ? ` Set DEPLOYMENT=${running[0]} for the one that is.` : '';
  fail(`Waymark (${deployment}) is not running here: start it with npm start.${other}`);
}
