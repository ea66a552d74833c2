import type { AuditFilters } from '@waymark/contract/audit-logs';
import type { EventContext } from '@waymark/contract/event';
import { auditLogExported } from '@waymark/contract/events';
import { csvFile, csvText, type Cell } from '@waymark/kernel/http/csv';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Reply } from '@waymark/kernel/http/reply';
import type { LinkedEntry } from '../chain/chain.js';
import { dayOf } from '../entries/days.js';
import { entryFilter, isNarrow } from '../entries/entry-filter.js';
import type { DayCountStore } from '../entries/day-count-store.js';
import type { EntryQuery, EntryStore, StoredEntry } from '../entries/entry-store.js';
import type { DisplayableEntry } from './displayable-entry.js';
import { matchingDays } from './matching-days.js';

/** The content of an entry, then the other inputs of its hash: see docs/audit.md. */
const COLUMNS: readonly (readonly [name: string, cellOf: (entry: LinkedEntry, redactedAt: string | null) => Cell])[] = [
  ['id', ({ _id }) => _id],
  ['action', ({ action }) => action],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_email', ({ actor }) => actor.email],
  ['actor_token_id', ({ actor }) => actor.token_id],
  ['actor_token_name', ({ actor }) => actor.token?.name ?? null],
  ['target_type', ({ target }) => target?.type ?? null],
  ['target_id', ({ target }) => target?.id ?? null],
  ['target_label', ({ target }) => target?.label ?? null],
  ['changes', ({ changes }) => changes],
  ['ip_address', ({ ipAddress }) => ipAddress],
  ['request_id', ({ requestId }) => requestId],
  ['created_at', ({ createdAt }) => createdAt.toISOString()],
  ['workspace', ({ workspace }) => workspace],
  ['seq', ({ seq }) => seq],
  ['previous_hash', ({ previousHash }) => previousHash],
  ['hash', ({ hash }) => hash],
  ['redacted_at', (_entry, redactedAt) => redactedAt],
];

const COLUMN_NAMES = COLUMNS.map(([name]) => name);

export interface ExportContext {
  db: Database;
  entries: EntryStore;
  dayCounts: DayCountStore;
  /** Reads an entry even if its row is damaged. */
  read: (row: StoredEntry) => DisplayableEntry;
}

interface ExportRequest {
  workspace: string;
  filters: AuditFilters;
}

/** Exports the log as of the request. The service records the export in the log before it sends the first byte. */
export function exportEntries(ctx: ExportContext, event: EventContext, request: ExportRequest): Reply {
  const name = `audit-log-${request.workspace}-${dayOf(new Date())}`;
  return csvFile(name, COLUMN_NAMES, exportRows(ctx, event, request));
}

/** Returns the text of an export. Records it in the same way. */
export function exportText(ctx: ExportContext, event: EventContext, request: ExportRequest): AsyncIterable<string> {
  return csvText(COLUMN_NAMES, exportRows(ctx, event, request));
}

async function* exportRows(
  ctx: ExportContext,
  event: EventContext,
  { workspace, filters }: ExportRequest,
): AsyncGenerator<Cell[]> {
  const lastSeq = await ctx.entries.lastSeq(workspace);
  await recordExport(ctx.db, event, { workspace, filters });
  for await (const entry of matchingEntries(ctx, { workspace, filter: entryFilter(filters) }, lastSeq)) {
    const { entry: shown, redactedAt } = ctx.read(entry);
    yield COLUMNS.map(([, cellOf]) => cellOf(shown, redactedAt));
  }
}

/** An export without a filter serves as evidence: it selects every entry by workspace alone. */
async function* matchingEntries(
  { entries, dayCounts }: ExportContext,
  query: EntryQuery,
  lastSeq: number,
): AsyncGenerator<StoredEntry> {
  if (Object.keys(query.filter).length === 0) {
    yield* entries.streamLog(query.workspace, lastSeq);
    return;
  }
  if (isNarrow(query.filter)) {
    yield* entries.streamNarrow(query, lastSeq);
    return;
  }
  for await (const { day } of matchingDays(dayCounts, query)) {
    yield* entries.streamDay(query, day, lastSeq);
  }
}

async function recordExport(db: Database, event: EventContext, { workspace, filters }: ExportRequest): Promise<void> {
  const target = { type: 'audit_log', id: workspace, label: null };
  const changes = { filters: { from: null, to: filters } };
  await db.transaction((tx) => {
    tx.emit(auditLogExported.create(event, { filters }, { target, changes }));
    return Promise.resolve();
  });
}
