import type { AuditEntryBody, AuditFilters } from '@waymark/contract/audit-logs';
import type { Deployment } from '@waymark/contract/deployments';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import { withMark } from '@waymark/kernel/http/csv';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Log } from '@waymark/kernel/process/log';
import { cursorPage } from '@waymark/kernel/http/reply';
import { entryFilter, filterProblems } from '../entries/entry-filter.js';
import { exportEntries, type ExportContext } from './export-entries.js';
import { entryReader, presentEntry } from './displayable-entry.js';
import { listEntries } from './list-entries.js';

/** Lists that may read a large part of a workspace: no workspace takes the database connections of the others. */
const LISTS = { total: 12, perKey: 3 };

export function readingChecks(deployment: Deployment): Checks<'audit'> {
  const check = ({ query }: { query: AuditFilters }) => filterProblems(deployment, query);
  return { 'audit_logs.list': check, 'audit_logs.export': check };
}

export function readingHandlers(
  stores: Omit<ExportContext, 'read'>,
  log: Log,
): Pick<Handlers<'audit'>, 'audit_logs.list' | 'audit_logs.export'> {
  const read = entryReader(log);
  const lists = new KeyedLimit(LISTS);
  return {
    'audit_logs.list': async ({ query, workspace, url, signal }) => {
      const requested = { page: query.page, perPage: query.per_page, cursor: query.cursor };
      const readPage = async () => {
        const found = await listEntries(stores, { workspace: workspace.slug, filter: entryFilter(query) }, requested);
        const items: AuditEntryBody[] = [];
        // An entry with many changes costs two milliseconds.
        for await (const entry of yieldingToEventLoop(found.items)) items.push(presentEntry(read(entry)));
        return { ...found, items };
      };
      const page = await lists.run(workspace.slug, readPage, signal);
      return cursorPage(page, requested, url);
    },
    'audit_logs.export': ({ query: { bom, ...filters }, workspace, eventContext }) => {
      const reply = exportEntries({ ...stores, read }, eventContext, { workspace: workspace.slug, filters });
      return Promise.resolve(withMark(reply, bom));
    },
  };
}
