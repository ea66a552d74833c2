import { parseArgs } from 'node:util';
import { workspaceSlug } from '@waymark/shared/contract/common';
import { databaseConfig, loadConfig } from '@waymark/shared/kernel/config';
import { Database } from '@waymark/shared/kernel/database';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { recountWorkspace } from '../recount/recount-workspace.js';
import { rollupStores } from '../rollups/stores.js';

const USAGE = 'usage: analytics rebuild --workspace S [--check]';
const CONNECT_TIMEOUT_MS = 15_000;

/** The operator's commands on the database of analytics; prints JSON. */
async function main([command, ...args]: string[]): Promise<number> {
  const options = optionsOf(command, args);
  if (!options) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const { MONGODB_URI: uri } = loadConfig(databaseConfig, process.env);
  const log = createLog('admin', 'silent');
  const lifecycle = new Lifecycle(log);
  const db = new Database(uri, log, lifecycle);
  const stores = rollupStores(db);
  await connected(db);
  const report = await recountWorkspace({ db, ...stores }, options.workspace, !options.check);
  await lifecycle.stop();
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return options.check && report.differences > 0 ? 1 : 0;
}

function optionsOf(command: string | undefined, args: string[]): { workspace: string; check: boolean } | null {
  if (command !== 'rebuild') return null;
  try {
    const { values } = parseArgs({ args, options: { workspace: { type: 'string' }, check: { type: 'boolean' } } });
    const workspace = workspaceSlug.safeParse(values.workspace);
    return workspace.success ? { workspace: workspace.data, check: values.check ?? false } : null;
  } catch {
    return null;
  }
}

async function connected(db: Database): Promise<void> {
  const deadline = setTimeout(() => {
    process.stderr.write('the database does not answer\n');
    process.exit(1);
  }, CONNECT_TIMEOUT_MS);
  await db.start();
  clearTimeout(deadline);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
