import { z } from 'zod';
import { workspaceSlug } from '@waymark/contract/common';
import { runCommandLine, withDatabase, type Command } from '@waymark/kernel/process/command-line';
import { databaseConfig, loadConfig, processConfig } from '@waymark/kernel/process/config';
import { Lease } from '@waymark/kernel/mongo/lease';
import { KINDS } from '../links/kind.js';
import { namedQuotas } from '../quota/caps.js';
import { countsOf } from '../quota/count-statuses.js';
import { recount } from '../quota/recount.js';
import { openStores } from '../stores.js';

/** The commands need only a database. */
const adminConfig = processConfig.extend(databaseConfig.shape);

const options = z.object({ workspace: workspaceSlug });
const quotaRecount: Command<NodeJS.ProcessEnv, typeof options> = {
  usage: '--workspace S  (counts the links, folders, tags and UTM templates of a workspace anew)',
  options,
  run: (env, { workspace }) => {
    const { MONGODB_URI: uri, DEPLOYMENT: deployment } = loadConfig(adminConfig, env);
    return withDatabase(
      uri,
      (db) => {
        const stores = openStores(db);
        const counts = countsOf(db, KINDS[deployment], stores.links, Infinity);
        const lease = new Lease(db, `recount ${workspace}`);
        return { db, counts, named: namedQuotas(db, stores), lease, ...stores };
      },
      (ctx) => recount(ctx, workspace),
    );
  },
};

runCommandLine({ 'quota recount': quotaRecount }, process.env);
