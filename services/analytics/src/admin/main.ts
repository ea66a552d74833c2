import { z } from 'zod';
import { workspaceSlug } from '@waymark/shared/contract/common';
import { runCommandLine, withDatabase, type Command } from '@waymark/shared/kernel/command-line';
import { databaseConfig, loadConfig } from '@waymark/shared/kernel/config';
import { invalid } from '@waymark/shared/kernel/errors';
import { recountWorkspace } from '../recount/recount-workspace.js';
import { checkWarehouse, listSetAside, repairWarehouse, retrySetAside } from './warehouse-commands.js';
import { rollupStores, type RollupStores } from '../rollups/stores.js';

const LISTED_MAX = 100;

const options = z.object({ workspace: workspaceSlug });
type Recount = Command<NodeJS.ProcessEnv, typeof options>;

/** Ends with 1 where something differs. */
const check: Recount = {
  usage: '--workspace S  (counts the scans of a workspace anew and tells where the rollups differ)',
  options,
  run: async (env, { workspace }) => {
    const report = await recount(env, workspace, false);
    if (report.differences > 0) process.exitCode = 1;
    return report;
  },
};

const rebuild: Recount = {
  usage: '--workspace S  (the same, and puts right what differs)',
  options,
  run: (env, { workspace }) => recount(env, workspace, true),
};

function recount(env: NodeJS.ProcessEnv, workspace: string, repair: boolean) {
  const { MONGODB_URI: uri } = loadConfig(databaseConfig, env);
  return withDatabase(
    uri,
    (db) => ({ db, ...rollupStores(db) }),
    async (ctx) => {
      const report = await recountWorkspace(ctx, workspace, repair);
      if (report.days === 0) throw invalid({ workspace: [`nothing is stored or counted of '${workspace}'`] });
      return report;
    },
  );
}

const none = z.object({});
type Batches = Command<NodeJS.ProcessEnv, typeof none>;

const setAside: Batches = {
  usage: '(lists the latest batches of scans that could not be counted, and why)',
  options: none,
  run: (env) => withStores(env, ({ uncounted }) => uncounted.listSetAside(LISTED_MAX)),
};

const setAsideRetry: Batches = {
  usage: '(has all of them counted again, once the cause is fixed)',
  options: none,
  run: (env) =>
    withStores(env, async ({ uncounted }) => {
      let batches = 0;
      // Those that fail again meanwhile come back: each is put back once.
      for (let rest = await uncounted.setAsideCount(); rest > 0; rest -= 1) {
        if (await uncounted.putBackSetAside()) batches += 1;
      }
      return { batches };
    }),
};

function withStores<T>(env: NodeJS.ProcessEnv, work: (stores: RollupStores) => Promise<T>): Promise<T> {
  const { MONGODB_URI: uri } = loadConfig(databaseConfig, env);
  return withDatabase(uri, rollupStores, work);
}

runCommandLine(
  {
    rebuild,
    check,
    'set-aside list': setAside,
    'set-aside retry': setAsideRetry,
    'warehouse check': checkWarehouse,
    'warehouse repair': repairWarehouse,
    'warehouse set-aside list': listSetAside,
    'warehouse set-aside retry': retrySetAside,
  },
  process.env,
);
