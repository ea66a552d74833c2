import type { AuditFilters } from '@waymark/contract/audit-logs';
import type { Deployment } from '@waymark/contract/deployments';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import { KeyedSemaphore } from '@waymark/kernel/async/keyed-semaphore';
import type { Log } from '@waymark/kernel/process/log';
import { cursorPage } from '@waymark/kernel/http/reply';
import { answerVerdict } from './answer-verdict.js';
import type { LogStores } from './append-entries.js';
import { entryFilter, filterProblems } from './entry-filter.js';
import { presentEntry } from './entry.js';
import { exportEntries } from './export-entries.js';
import { reader } from './legible.js';
import { listEntries } from './list-entries.js';

/** Requests that read a page of a log. */
const LISTS = { runningMax: 12, runningPerKeyMax: 3, waitingMax: 500, waitingPerKeyMax: 50 };

export function auditChecks(deployment: Deployment): Checks<'audit'> {
  const check = ({ query }: { query: AuditFilters }) => filterProblems(deployment, query);
  return { 'audit_logs.list': check, 'audit_logs.export': check };
}

export function auditHandlers(stores: LogStores, log: Log): Handlers<'audit'> {
  const read = reader(log);
  const lists = new KeyedSemaphore(LISTS);
  return {
    'audit_logs.list': async ({ query, workspace, url }) => {
      const asked = { page: query.page, perPage: query.per_page, cursor: query.cursor };
      const found = await lists.run(workspace.slug, () =>
        listEntries(stores, workspace.slug, entryFilter(query), asked),
      );
      return cursorPage({ ...found, items: found.items.map(read).map(presentEntry) }, asked, url);
    },
    'audit_logs.export': ({ query, workspace, eventContext }) =>
      Promise.resolve(exportEntries({ ...stores, read }, eventContext, workspace.slug, query)),
    'audit_logs.verify': ({ workspace }) => Promise.resolve(answerVerdict(stores, workspace.slug)),
  };
}
