import { z } from 'zod';
import { listPage, pageOptions, type Command } from '@waymark/kernel/command-line/command';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { databaseConfig, loadConfig } from '@waymark/kernel/process/config';
import { listReports } from '../reports/list-reports.js';
import { ReportStore } from '../reports/report-store.js';

const options = z.object({
  host: z.string().max(253).toLowerCase().optional().describe('only links that lead to this host'),
  ...pageOptions,
});

const showReports: Command<NodeJS.ProcessEnv, typeof options> = {
  summary: 'Lists the links that visitors reported in the last 90 days by the host they lead to, most reported first',
  options,
  run: (env, { host, ...page }) =>
    withDatabase(
      loadConfig(databaseConfig, env).MONGODB_URI,
      (db) => new ReportStore(db),
      (store) => listPage(page, (found) => listReports(store, { host, page: found })),
    ),
};

export const COMMANDS = { 'link reports': showReports };
