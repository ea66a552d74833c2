import { z } from 'zod';
import { withDatabase, type Command } from '@waymark/kernel/process/command-line';
import { databaseConfig, loadConfig } from '@waymark/kernel/process/config';
import { invalid } from '@waymark/kernel/errors';
import { storeEvents } from '@waymark/kernel/mongo/store-events';
import { UserAgents } from '../enrichment/user-agent.js';
import { openPendingTables } from '../loading/pending-tables.js';
import { ProgressStore } from '../reclassify/progress-store.js';
import { reclassifyDays } from '../reclassify/reclassify.js';
import { ScanStore } from '../ledger/scan-store.js';
import { FirstVisitStore } from '../privacy/first-visits.js';

const options = z.object({ from: z.iso.date(), to: z.iso.date(), 'dry-run': z.boolean().default(false) });

export const reclassifyScans: Command<NodeJS.ProcessEnv, typeof options> = {
  usage:
    '--from YYYY-MM-DD --to YYYY-MM-DD [--dry-run]  (classifies bots of these UTC days again; after a break it continues)',
  options,
  run: (env, { from, to, 'dry-run': isDryRun }) => {
    if (to < from) throw invalid({ to: ['The last day must not be before the first.'] });
    const { MONGODB_URI: uri } = loadConfig(databaseConfig, env);
    return withDatabase(
      uri,
      (db, lifecycle) => {
        storeEvents(db, lifecycle);
        return {
          db,
          scans: new ScanStore(db),
          firstVisits: new FirstVisitStore(db),
          pending: openPendingTables(db),
          progress: new ProgressStore(db),
          userAgents: new UserAgents(),
        };
      },
      (ctx) => reclassifyDays(ctx, { from, to }, isDryRun),
    );
  },
};
