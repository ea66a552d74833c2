import { z } from 'zod';
import { listPage, pageOptions, type Command } from '@waymark/kernel/command-line/command';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { mapPage } from '@waymark/kernel/http/reply';
import { databaseConfig, loadConfig } from '@waymark/kernel/process/config';
import { DomainStore } from '../domains/domain-store.js';

const options = z.object({
  serving: z.boolean().default(false).describe('only domains that serve links'),
  ...pageOptions,
});

const listDomains: Command<NodeJS.ProcessEnv, typeof options> = {
  summary: 'Lists the custom domains of every workspace by their hostnames',
  options,
  run: (env, { serving: isServing, ...paging }) =>
    withDatabase(
      loadConfig(databaseConfig, env).MONGODB_URI,
      (db) => new DomainStore(db),
      (domains) =>
        listPage(paging, async (page) =>
          mapPage(await domains.listAllDomains(isServing, page), ({ hostname, workspace, status }) => ({
            hostname,
            workspace,
            status,
          })),
        ),
    ),
};

export const COMMANDS = { 'domain list': listDomains };
