import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { unavailable } from '@waymark/kernel/errors';
import type { Log } from '@waymark/kernel/process/log';
import {
  addLatest,
  LEASE_RENEWED_AFTER_MS,
  rowsIn,
  type ClaimedBatch,
  type ClaimedBatches,
  type PendingBatch,
  type PendingRowsStore,
  type RefusedRow,
} from '../ledger/pending-rows.js';
import type { LinkStore } from '../links/link-store.js';
import type { LoadedTable } from '../warehouse/loaded-table.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { insertByHalves } from './insert-by-halves.js';

export interface LoadContext {
  links: LinkStore;
  warehouse: Warehouse;
  log: Log;
}

const PARTITIONS_MAX = '1000';

/**
 * Loads some of the pending rows of a table. At least once: if a loader stops between the insert and the
 * acknowledgement, another loader repeats the insert, and the warehouse keeps one row per document.
 * @returns the number of loaded rows; 0 when no batch is free
 */
export async function loadRows(ctx: LoadContext, pending: PendingRowsStore<never>): Promise<number> {
  const claim = await pending.claimBatches();
  if (claim.batches.length === 0) return 0;
  const { owner } = claim;
  const keepLease = leaseKeeper(pending, claim);
  let loadedCount = 0;
  try {
    await insertByHalves(claim.batches, {
      insert: async (batches) => {
        await keepLease();
        await loadBatches(ctx, pending, { owner, batches });
        loadedCount += batches.reduce((sum, { rowCount }) => sum + rowCount, 0);
      },
      onRefused: async (batch) => {
        loadedCount += await loadAcceptedRows(ctx, { pending, keepLease }, { owner, batch });
      },
    });
  } catch (error) {
    await pending.releaseBatches(claim);
    throw error;
  }
  return loadedCount;
}

type KeepLease = () => Promise<void>;

/** Returns a function to call before each insert: finding refused rows takes many inserts, together longer than a lease. */
function leaseKeeper(pending: PendingRowsStore<never>, claim: ClaimedBatches): KeepLease {
  const nextAt = () => performance.now() + LEASE_RENEWED_AFTER_MS;
  let renewAt = nextAt();
  return async () => {
    if (performance.now() < renewAt) return;
    if (!(await pending.renewLease(claim))) throw unavailable(new Error('the lease of pending rows has expired'));
    renewAt = nextAt();
  };
}

async function loadBatches(
  { warehouse, links }: LoadContext,
  pending: PendingRowsStore<never>,
  claim: ClaimedBatches,
): Promise<void> {
  const { batches } = claim;
  await insertRows(warehouse, pending.table, { token: tokenOf(batches), rows: encodedRows(batches) });
  await recordLastScans(links, batches);
  await pending.acknowledgeBatches(claim);
}

/** Loads the accepted rows of a batch that the warehouse refuses, and sets the others aside. @returns how many it accepts */
async function loadAcceptedRows(
  { warehouse, links, log }: LoadContext,
  { pending, keepLease }: { pending: PendingRowsStore<never>; keepLease: KeepLease },
  claim: ClaimedBatch,
): Promise<number> {
  const { table } = pending;
  const rowsOfBatch = rowsIn(claim.batch.rows);
  const refused: RefusedRow[] = [];
  await insertByHalves(rowsOfBatch, {
    insert: async (rows) => {
      await keepLease();
      const text = rows.join('');
      await insertRows(warehouse, table, { token: tokenOf([claim.batch], text), rows: [Buffer.from(text)] });
    },
    onRefused: (row, error) => void refused.push({ row, error }),
  });
  await recordLastScans(links, [claim.batch]);
  for (const { workspace, error } of await pending.setRowsAside(claim, refused)) {
    log.error({ error, workspace, table: table.name }, 'rows set aside: the warehouse refuses them');
  }
  return rowsOfBatch.length - refused.length;
}

async function recordLastScans(links: LinkStore, batches: readonly PendingBatch[]): Promise<void> {
  const latest = new Map<string, Date>();
  for await (const { lastScanned } of yieldingToEventLoop(batches)) addLatest(latest, lastScanned);
  if (latest.size > 0) await links.recordLastScans(latest);
}

interface Insert {
  /** The server skips an insert that it has already stored under this token. */
  token: string;
  rows: Iterable<Buffer> | AsyncIterable<Buffer>;
}

function insertRows(
  warehouse: Warehouse,
  { name, columns }: LoadedTable<never>,
  { token, rows }: Insert,
): Promise<void> {
  return warehouse.run(async (client) => {
    const { stream } = await client.exec({
      query: `INSERT INTO ${name} (${columns.join(', ')}) FORMAT JSONCompactEachRow`,
      values: Readable.from(rows, { objectMode: false }),
      clickhouse_settings: {
        insert_deduplication_token: token,
        // A conversion may belong to any month since 2000, and each month is a partition.
        max_partitions_per_insert_block: PARTITIONS_MAX,
        // Batches of an earlier version lack the columns added since.
        input_format_json_compact_allow_variable_number_of_columns: 1,
        // The server answers only after the shards have stored the rows.
        ...(warehouse.cluster !== undefined && { distributed_foreground_insert: 1 }),
      },
    });
    // Reading the response releases the connection.
    for await (const _ of stream);
  });
}

async function* encodedRows(batches: readonly PendingBatch[]): AsyncGenerator<Buffer> {
  for await (const { rows } of yieldingToEventLoop(batches)) yield Buffer.from(rows);
}

/**
 * The same batches, or the same rows of a batch, have the same token. Not a hash of the rows alone: a repair adds equal
 * rows again, in a new batch, after they were deleted. Not their places: an erasure shortens a batch.
 */
function tokenOf(batches: readonly PendingBatch[], part = ''): string {
  const hash = createHash('sha256');
  for (const { _id } of batches) hash.update(_id.toHexString());
  return hash.update(part).digest('hex');
}
