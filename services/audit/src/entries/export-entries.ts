import type { AuditFilters } from '@waymark/contract/audit-logs';
import type { EventContext } from '@waymark/contract/event';
import { auditLogExported } from '@waymark/contract/events';
import { csvFile, type Cell } from '@waymark/kernel/http/csv';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Reply } from '@waymark/kernel/http/reply';
import type { LogStores } from './append-entries.js';
import type { LinkedEntry } from './chain.js';
import { dayOf } from './days.js';
import { entryFilter, isNarrow, type EntryFilter } from './entry-filter.js';
import type { StoredEntry } from './entry-store.js';
import type { Legible } from './legible.js';
import { matchingDays } from './matching-days.js';

/** The content of an entry, then the other inputs of its hash: see docs/audit.md. */
const COLUMNS: readonly (readonly [name: string, of: (entry: LinkedEntry) => Cell])[] = [
  ['id', ({ _id }) => _id],
  ['action', ({ action }) => action],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_email', ({ actor }) => actor.email],
  ['actor_token_id', ({ actor }) => actor.token_id],
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
];

type ReadableStores = LogStores & { read: (row: LinkedEntry) => Legible };

/** Exports the log as of the request. The service records the export in the log before it sends the first byte. */
export function exportEntries(
  stores: ReadableStores,
  event: EventContext,
  workspace: string,
  filters: AuditFilters,
): Reply {
  const name = `audit-log-${workspace}-${dayOf(new Date())}`;
  const columns = COLUMNS.map(([column]) => column);
  return csvFile(name, columns, rowsOf(stores, event, workspace, filters));
}

async function* rowsOf(
  stores: ReadableStores,
  event: EventContext,
  workspace: string,
  filters: AuditFilters,
): AsyncGenerator<Cell[]> {
  const lastSeq = await stores.entries.lastSeq(workspace);
  await enter(stores.db, event, workspace, filters);
  for await (const entry of found(stores, workspace, entryFilter(filters), lastSeq)) {
    const { entry: shown } = stores.read(entry);
    yield COLUMNS.map(([, cellOf]) => cellOf(shown));
  }
}

/** An export without a filter serves as evidence: it selects every entry by workspace alone. */
async function* found(
  { entries, tallies }: LogStores,
  workspace: string,
  filter: EntryFilter,
  lastSeq: number,
): AsyncGenerator<StoredEntry> {
  if (Object.keys(filter).length === 0) {
    yield* entries.streamWhole(workspace, lastSeq);
    return;
  }
  if (isNarrow(filter)) {
    yield* entries.streamNarrow(workspace, filter, lastSeq);
    return;
  }
  for await (const { day } of matchingDays(tallies, workspace, filter)) {
    yield* entries.stream(workspace, filter, day, lastSeq);
  }
}

async function enter(db: Database, event: EventContext, workspace: string, filters: AuditFilters): Promise<void> {
  const target = { type: 'audit_log', id: workspace, label: null };
  const changes = { filters: { from: null, to: filters } };
  await db.transaction((tx) => {
    tx.emit(auditLogExported.create(event, { filters }, { target, changes }));
    return Promise.resolve();
  });
}
