import type { Database, Transaction } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import type { UncountedStore } from '../rollups/uncounted-store.js';
import type { Scan } from '../scans/scan.js';
import type { ScanStore } from '../scans/store.js';
import type { SightingStore } from '../visitors/sightings.js';

export interface ScanStores {
  db: Database;
  scans: ScanStore;
  sightings: SightingStore;
  uncounted: UncountedStore;
}

/** Each further worker that meets us on the same scans costs one. */
const ATTEMPTS_MAX = 5;

export interface Stored {
  /** The rows that these scans have now, whoever stored them, by id. */
  rows: Map<string, Scan>;
  /** How many of them are new. */
  inserted: number;
}

/**
 * Stores scans, and what makes the rollups count them, in one transaction. A scan that is already stored, from a message delivered again or
 * shipped again by the edge, changes nothing.
 */
export async function storeScans(stores: ScanStores, scans: Scan[]): Promise<Stored> {
  // Of a scan that came twice in one batch the first is kept.
  const byId = new Map(scans.toReversed().map((scan) => [scan._id, scan]));
  const ids = [...byId.keys()].sort();
  const ordered = ids.map((id) => byId.get(id)!);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await stores.db.transaction((tx) => storeOnce(stores, ordered, ids, tx));
    } catch (error) {
      // Another worker stores one of these scans or visitors in the same moment: now it is there.
      if (!isDuplicateKey(error) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

async function storeOnce(stores: ScanStores, scans: Scan[], ids: string[], { session }: Transaction): Promise<Stored> {
  const existing = await stores.scans.byIds(ids, session);
  const rows = new Map(existing.map((scan) => [scan._id, scan]));
  const missing = scans.filter((scan) => !rows.has(scan._id));
  if (missing.length === 0) return { rows, inserted: 0 };

  const first = await stores.sightings.record(missing, session);
  const fresh = missing.map((scan) => ({ ...scan, isUnique: first.has(scan._id) }));
  await stores.scans.insert(fresh, session);
  await stores.uncounted.add(fresh, session);
  for (const scan of fresh) rows.set(scan._id, scan);
  return { rows, inserted: fresh.length };
}
