import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { Log } from '@waymark/kernel/process/log';
import {
  addLatest,
  isDamaged,
  isLinkScan,
  type ClaimedBatches,
  type PendingBatch,
  type PendingRowsStore,
} from '../ledger/pending-rows.js';
import type { LinkStore } from '../links/link-store.js';
import { asOutage, isRowRefusal } from '../warehouse/errors.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import type { LoadedTable } from '../warehouse/loaded-table.js';

export interface LoadContext {
  links: LinkStore;
  warehouse: Warehouse;
  log: Log;
}

/** A batch is set aside after this many refusals, the last ones alone. */
const REFUSALS_MAX = 5;
const PARTITIONS_MAX = '1000';

/**
 * Loads some of the pending rows of a table. At least once: if a loader stops between the insert and the
 * acknowledgement, another loader repeats the insert, and the warehouse keeps one row per document.
 * @returns the number of loaded rows; 0 when no batch is free
 */
export async function loadRows(ctx: LoadContext, pending: PendingRowsStore<never>): Promise<number> {
  const claim = await claimReadable(ctx, pending);
  if (claim.batches.length === 0) return 0;
  try {
    await insertRows(ctx.warehouse, pending.table, claim);
  } catch (thrown) {
    ctx.warehouse.recreateAfter(thrown);
    const error = asOutage(thrown);
    await (isRowRefusal(error)
      ? handleRefusal({ log: ctx.log, pending }, claim, error)
      : pending.releaseBatches(claim));
    throw error;
  }
  const lastScanned = await lastScannedOf(claim);
  if (lastScanned.size > 0) await ctx.links.recordLastScans(lastScanned);
  await pending.acknowledgeBatches(claim);
  return claim.batches.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

/** Claims batches, and sets aside the damaged ones among them. Claims others when all of them are damaged. */
async function claimReadable({ log }: LoadContext, pending: PendingRowsStore<never>): Promise<ClaimedBatches> {
  for (;;) {
    const { owner, batches } = await pending.claimBatches();
    const damaged = batches.filter((batch) => isDamaged(batch, pending.table));
    for (const batch of damaged) {
      await pending.setBatchAside({ owner, batches: [batch] }, 'The batch is damaged.');
      log.error({ batch: String(batch._id), table: pending.table.name }, 'damaged rows set aside');
    }
    if (damaged.length < batches.length || batches.length === 0) {
      return { owner, batches: batches.filter((batch) => !damaged.includes(batch)) };
    }
  }
}

async function lastScannedOf({ batches }: ClaimedBatches): Promise<Map<string, Date>> {
  const latest = new Map<string, Date>();
  for await (const { lastScanned } of yieldingToEventLoop(batches)) addLatest(latest, lastScanned.filter(isLinkScan));
  return latest;
}

async function insertRows(
  { client, cluster }: Warehouse,
  { name, columns }: LoadedTable<never>,
  { batches }: ClaimedBatches,
): Promise<void> {
  const { stream } = await client.exec({
    query: `INSERT INTO ${name} (${columns.join(', ')}) FORMAT JSONCompactEachRow`,
    values: Readable.from(encodedRows(batches), { objectMode: false }),
    clickhouse_settings: {
      insert_deduplication_token: tokenOf(batches),
      // A conversion may belong to any month since 2000, and each month is a partition.
      max_partitions_per_insert_block: PARTITIONS_MAX,
      // Batches of an earlier version lack the columns added since.
      input_format_json_compact_allow_variable_number_of_columns: 1,
      // The server answers only after the shards have stored the rows.
      ...(cluster !== undefined && { distributed_foreground_insert: 1 }),
    },
  });
  // Reading the response releases the connection.
  for await (const _ of stream);
}

async function* encodedRows(batches: readonly PendingBatch[]): AsyncGenerator<Buffer> {
  for await (const { rows } of yieldingToEventLoop(batches)) yield Buffer.from(rows);
}

async function handleRefusal(
  { pending, log }: { pending: PendingRowsStore<never>; log: Log },
  claim: ClaimedBatches,
  error: unknown,
): Promise<void> {
  const [first] = claim.batches;
  if (claim.batches.length > 1 || first!.refusals + 1 < REFUSALS_MAX) return pending.releaseRefusedBatches(claim);
  const workspace = await pending.setBatchAside(claim, error);
  if (workspace !== undefined) {
    log.error({ err: error, workspace, table: pending.table.name }, 'rows set aside: the warehouse refuses them');
  }
}

/** The same batches produce the same token: the server skips an insert that it has already stored. */
function tokenOf(batches: ClaimedBatches['batches']): string {
  const hash = createHash('sha256');
  for (const { _id } of batches) hash.update(_id.toHexString());
  return hash.digest('hex');
}
