import { z } from 'zod';
import { dryRun, type Command } from '@waymark/kernel/command-line/command';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { databaseConfig, loadConfig } from '@waymark/kernel/process/config';
import { invalidOption } from '@waymark/kernel/errors';
import { storeEvents } from '@waymark/kernel/broker/store-events';
import { UserAgents } from '@waymark/visitors/user-agent';
import { openPendingTables } from '../loading/pending-tables.js';
import { ProgressStore } from '../ingest/progress-store.js';
import { reclassifyDays } from '../ingest/reclassify.js';
import { ScanStore } from '../ledger/scan-store.js';
import { FirstVisitStore } from '../ledger/first-visits.js';

const options = z.object({
  from: z.iso.date().describe('first UTC day, e.g. 2026-11-01'),
  to: z.iso.date().describe('last UTC day'),
  dryRun,
});

export const reclassifyScans: Command<NodeJS.ProcessEnv, typeof options> = {
  summary: 'Classifies the bots among the scans of some days again; an interrupted run continues',
  options,
  run: (env, { from, to, dryRun: isDryRun }) => {
    if (to < from) throw invalidOption('to', 'The last day must not be before the first.');
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
