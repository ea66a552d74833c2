import type { AuditFilters } from '@waymark/shared/contract/audit-logs';
import type { Deployment } from '@waymark/shared/contract/deployments';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import { KeyedTurnstile } from '@waymark/shared/kernel/keyed-turnstile';
import type { Log } from '@waymark/shared/kernel/log';
import { paginated } from '@waymark/shared/kernel/http/reply';
import { answerVerdict } from './answer-verdict.js';
import type { LogStores } from './append-entries.js';
import { entryFilter, filterProblems } from './entry-filter.js';
import { presentEntry } from './entry.js';
import { exportEntries } from './export-entries.js';
import { reader } from './legible.js';
import { listEntries } from './list-entries.js';

/** Pages that are read: of one log, and in all. Further ones wait for their turn. */
const LISTS = { ofKey: 3, waitingOfKey: 50, ofAll: 12, waitingOfAll: 500 };

export function auditChecks(deployment: Deployment): Checks<'audit'> {
  const check = ({ query }: { query: AuditFilters }) => filterProblems(deployment, query);
  return { 'audit_logs.list': check, 'audit_logs.export': check };
}

export function auditHandlers(stores: LogStores, log: Log): Handlers<'audit'> {
  const read = reader(log);
  const lists = new KeyedTurnstile(LISTS);
  return {
    'audit_logs.list': async ({ query, workspace, url }) => {
      const page = { page: query.page, perPage: query.per_page };
      const { items, total } = await lists.pass(workspace.slug, () =>
        listEntries(stores, workspace.slug, entryFilter(query), page),
      );
      return paginated({ items: items.map(read).map(presentEntry), total }, page, url);
    },
    'audit_logs.export': ({ query, workspace, eventContext }) =>
      Promise.resolve(exportEntries({ ...stores, read }, eventContext, workspace.slug, query)),
    'audit_logs.verify': ({ workspace }) => Promise.resolve(answerVerdict(stores, workspace.slug)),
  };
}
