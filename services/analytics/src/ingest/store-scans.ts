import type { ClientSession } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import type { Pending } from '../ledger/pending-rows.js';
import type { RetentionStore } from '../retention/retention-store.js';
import type { Scan } from '../scans/scan.js';
import type { ScanStore } from '../scans/store.js';
import { DAY_MS } from '../time/utc-day.js';
import type { SightingStore } from '../visitors/sightings.js';

export interface ScanStores {
  db: Database;
  scans: ScanStore;
  sightings: SightingStore;
  pending: Pending;
  retention: RetentionStore;
}

/** Each further worker that meets us on the same scans costs one. */
const ATTEMPTS_MAX = 5;
/** No plan keeps rows for less than a whole day. */
const RETENTION_MIN_MS = DAY_MS;

export interface Stored {
  /** The rows that these scans have now, whoever stored them, by id. */
  rows: Map<string, Scan>;
  /** How many of them are new. */
  inserted: number;
  /** Refused: the rows of their time are deleted, so whether they were counted before cannot be told. */
  expired: Scan[];
}

/**
 * Stores scans, and the rows of the warehouse that they become, in one transaction. A scan that is already stored, from a
 * message delivered again or shipped again by the edge, changes nothing. One that is older than the rows that its workspace
 * keeps is refused.
 */
export async function storeScans(stores: ScanStores, scans: Scan[]): Promise<Stored> {
  const oldBefore = (await stores.db.now()).getTime() - RETENTION_MIN_MS;
  const hasOld = scans.some(({ scannedAt }) => scannedAt.getTime() < oldBefore);
  // Of a scan that came twice in one batch the first is kept.
  const byId = new Map(scans.toReversed().map((scan) => [scan._id, scan]));
  const ids = [...byId.keys()].sort();
  const ordered = ids.map((id) => byId.get(id)!);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Nearly always all are new: what is stored is only looked for when it has turned out that something is.
      const store = attempt === 1 && !hasOld ? storeAll : storeMissing;
      return await stores.db.transaction(({ session }) => store(stores, ordered, session));
    } catch (error) {
      // Or another worker stores one of these scans or visitors in the same moment: now it is there.
      if (!isDuplicateKey(error) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

async function storeMissing(stores: ScanStores, scans: Scan[], session: ClientSession): Promise<Stored> {
  const ids = scans.map(({ _id }) => _id);
  const existing = new Map((await stores.scans.byIds(ids, session)).map((scan) => [scan._id, scan]));
  const missing = scans.filter(({ _id }) => !existing.has(_id));
  // Read in the transaction that looked for the rows: retention notes the time before it deletes the first of them.
  const keptFroms = await stores.retention.keptFroms([...new Set(missing.map(workspaceOf))], session);
  const isExpired = ({ workspace, scannedAt }: Scan) => scannedAt < (keptFroms.get(workspace) ?? scannedAt);
  const { rows, inserted } = await storeAll(
    stores,
    missing.filter((scan) => !isExpired(scan)),
    session,
  );
  return { rows: new Map([...existing, ...rows]), inserted, expired: missing.filter(isExpired) };
}

const workspaceOf = ({ workspace }: Scan): string => workspace;

async function storeAll(stores: ScanStores, scans: Scan[], session: ClientSession): Promise<Stored> {
  if (scans.length === 0) return { rows: new Map(), inserted: 0, expired: [] };
  const first = await stores.sightings.record(scans, session);
  const rows = scans.map((scan) => (first.has(scan._id) ? { ...scan, isUnique: true } : scan));
  await stores.scans.insert(rows, session);
  await stores.pending.scans.add(rows, session);
  return { rows: new Map(rows.map((row) => [row._id, row])), inserted: rows.length, expired: [] };
}
