import { z } from 'zod';
import { workspaceSlug } from '@waymark/contract/common';
import { dryRun, type Command } from '@waymark/kernel/command-line/command';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { databaseConfig, loadConfig, processConfig } from '@waymark/kernel/process/config';
import { Lease } from '@waymark/kernel/mongo/lease';
import { DomainStore } from '../domains/domain-store.js';
import { CONTENT_TYPES } from '../links/content-type.js';
import { LinkStore } from '../links/link-store.js';
import { createStatusCounts } from '../links/status-counts.js';
import { createQuotas } from '../organize/caps.js';
import { openOrganizeStores } from '../organize/stores.js';
import { LINK_COMMANDS } from './link-commands.js';
import { compareCounters, recount } from './recount.js';

/** The commands need only a database. */
const adminConfig = processConfig.extend(databaseConfig.shape);

const options = z.object({ workspace: workspaceSlug.describe('slug of the workspace'), dryRun });

const recountWorkspace: Command<NodeJS.ProcessEnv, typeof options> = {
  summary: 'Recounts the links, folders, tags and UTM templates of a workspace, and corrects their counters',
  options,
  run: (env, { workspace, dryRun: isDryRun }) => {
    const { MONGODB_URI: uri, DEPLOYMENT: deployment } = loadConfig(adminConfig, env);
    return withDatabase(
      uri,
      (db) => {
        const stores = openOrganizeStores(db);
        const links = new LinkStore(db);
        const counts = createStatusCounts({ db, contentType: CONTENT_TYPES[deployment], links }, Infinity);
        const lease = new Lease(db, `recount ${workspace}`);
        return { db, links, counts, lease, quotas: createQuotas(db, stores), domains: new DomainStore(db), ...stores };
      },
      (ctx) => (isDryRun ? compareCounters(ctx, workspace) : recount(ctx, workspace)),
    );
  },
};

export const COMMANDS = { recount: recountWorkspace, ...LINK_COMMANDS };
