import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Log } from '@waymark/shared/kernel/log';
import { latestByLink, type Claim, type PendingScansStore } from '../../ledger/pending-scans.js';
import type { LinkStore } from '../../links/store.js';
import { asOutage, isRefusal } from '../errors.js';
import type { Warehouse } from '../warehouse.js';
import { SCAN_COLUMNS } from './scan-rows.js';

export interface LoadContext {
  pending: PendingScansStore;
  links: LinkStore;
  warehouse: Warehouse;
  log: Log;
}

/** A batch that the warehouse refuses this often, in the end alone, is set aside. */
const REFUSALS_MAX = 5;
const INSERT = `INSERT INTO scans (${SCAN_COLUMNS.join(', ')}) FORMAT JSONCompactEachRow`;

/**
 * Loads some of the pending scans. At least once: a loader that ends between the insert and the acknowledgement leaves them
 * to another one, and the warehouse keeps one row of each scan.
 * @returns how many rows were loaded; 0 when no batch is free
 */
export async function loadScans(ctx: LoadContext): Promise<number> {
  const claim = await ctx.pending.claim();
  if (claim.batches.length === 0) return 0;
  try {
    await insertRows(ctx.warehouse, claim);
  } catch (thrown) {
    ctx.warehouse.recreateAfter(thrown);
    const error = asOutage(thrown);
    await (isRefusal(error) ? refuse(ctx, claim, error) : ctx.pending.release(claim));
    throw error;
  }
  await ctx.links.markScanned(latestByLink(claim.batches.flatMap(({ lastScanned }) => lastScanned)));
  await ctx.pending.acknowledge(claim);
  return claim.batches.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

async function insertRows({ client, cluster }: Warehouse, { batches }: Claim): Promise<void> {
  const { stream } = await client.exec({
    query: INSERT,
    values: Readable.from(
      batches.map(({ rows }) => rows),
      { objectMode: false },
    ),
    clickhouse_settings: {
      insert_deduplication_token: tokenOf(batches),
      // An answer means that the shards have the rows.
      ...(cluster !== undefined && { distributed_foreground_insert: 1 }),
    },
  });
  // The connection is free again when the answer has been read.
  for await (const _ of stream);
}

async function refuse({ pending, log }: LoadContext, claim: Claim, error: unknown): Promise<void> {
  const [first] = claim.batches;
  if (claim.batches.length > 1 || first!.refusals + 1 < REFUSALS_MAX) return pending.releaseRefused(claim);
  const workspace = await pending.setAside(claim, error);
  if (workspace !== undefined) log.error({ err: error, workspace }, 'scans set aside: the warehouse refuses them');
}

/** The same batches have the same token: the server drops an insert that it has already stored. */
function tokenOf(batches: Claim['batches']): string {
  const hash = createHash('sha256');
  for (const { _id } of batches) hash.update(_id.toHexString());
  return hash.digest('hex');
}
