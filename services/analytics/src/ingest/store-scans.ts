import type { ClientSession } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import type { PendingRowsStore } from '../ledger/pending-rows.js';
import type { RetentionStore } from '../retention/retention-store.js';
import type { Scan } from '../ledger/scan.js';
import type { ScanStore } from '../ledger/scan-store.js';
import { DAY_MS } from '../time/utc-day.js';
import type { FirstVisitStore } from '../ledger/first-visits.js';

export interface ScanStores {
  db: Database;
  scans: ScanStore;
  firstVisits: FirstVisitStore;
  pending: { scans: PendingRowsStore<Scan> };
  retention: RetentionStore;
}

/** Each concurrent worker with the same scans may cost one attempt. */
const ATTEMPTS_MAX = 5;
/** Every plan keeps rows for at least one whole day. */
const RETENTION_MIN_MS = DAY_MS;

export interface StoreOutcome {
  /** The stored rows of these scans by id, from this worker or another. */
  rows: Map<string, Scan>;
  /** How many of them are new. */
  inserted: number;
  /** Refused: the rows of their time are deleted, so the service cannot tell whether they were counted before. */
  expired: Scan[];
}

/**
 * Stores scans, and their rows for the warehouse, in one transaction. Ignores a scan that is already stored (a
 * redelivered message, or a batch that the edge ships again). Refuses a scan older than the rows that its workspace
 * keeps.
 */
export async function storeScans(stores: ScanStores, scans: Scan[]): Promise<StoreOutcome> {
  const oldBefore = (await stores.db.now()).getTime() - RETENTION_MIN_MS;
  const hasOld = scans.some(({ scannedAt }) => scannedAt.getTime() < oldBefore);
  // Keeps the first of two copies in one batch.
  const byId = new Map(scans.toReversed().map((scan) => [scan._id, scan]));
  const ids = [...byId.keys()].sort();
  const ordered = ids.map((id) => byId.get(id)!);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Nearly always all scans are new: it checks for stored ones only after a duplicate key.
      const store = attempt === 1 && !hasOld ? insertAll : storeNewScans;
      return await stores.db.transaction(({ session }) => store(stores, ordered, session));
    } catch (error) {
      // Also occurs when another worker stores one of these scans or visitors at the same time; the next attempt finds
      // it.
      if (!isDuplicateKey(error) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

async function storeNewScans(stores: ScanStores, scans: Scan[], session: ClientSession): Promise<StoreOutcome> {
  const ids = scans.map(({ _id }) => _id);
  const existing = new Map((await stores.scans.scansByIds(ids, session)).map((scan) => [scan._id, scan]));
  const missing = scans.filter(({ _id }) => !existing.has(_id));
  // Read in the same transaction as the rows: retention records the time before it deletes the first row.
  const keptFroms = await stores.retention.ledgerFromByWorkspace([...new Set(missing.map(workspaceOf))], session);
  const isExpired = ({ workspace, scannedAt }: Scan) => scannedAt < (keptFroms.get(workspace) ?? scannedAt);
  const { rows, inserted } = await insertAll(
    stores,
    missing.filter((scan) => !isExpired(scan)),
    session,
  );
  return { rows: new Map([...existing, ...rows]), inserted, expired: missing.filter(isExpired) };
}

const workspaceOf = ({ workspace }: Scan): string => workspace;

async function insertAll(stores: ScanStores, scans: Scan[], session: ClientSession): Promise<StoreOutcome> {
  if (scans.length === 0) return { rows: new Map(), inserted: 0, expired: [] };
  const first = await stores.firstVisits.recordFirstVisits(scans, session);
  const rows = scans.map((scan) => (first.has(scan._id) ? { ...scan, isUnique: true } : scan));
  await stores.scans.insertScans(rows, session);
  await stores.pending.scans.addRows(rows, session);
  return { rows: new Map(rows.map((row) => [row._id, row])), inserted: rows.length, expired: [] };
}
