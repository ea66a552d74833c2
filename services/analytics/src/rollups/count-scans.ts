import type { Transaction } from '@waymark/shared/kernel/database';
import type { Countable } from './countable.js';
import type { RollupStores } from './stores.js';
import type { Portion } from './uncounted-store.js';
import { ScanTally, visitorDayOf, vocabularyOf } from './tally-scans.js';

/**
 * Counts the oldest scans that are not counted yet, about so many, in one transaction. Two workers that do so at once get
 * in each other's way, and one of the transactions fails; no scan is counted twice.
 * @returns how many scans were counted, and whether these were all
 */
export async function countScans(
  stores: RollupStores,
  most: Portion,
  { session }: Transaction,
): Promise<{ counted: number; areAll: boolean }> {
  const { scans, areAll } = await stores.uncounted.take(most, session);
  if (scans.length === 0) return { counted: 0, areAll };
  // Not a part of the transaction: it may be done twice, and would collide with changes of the links.
  await stores.links.markScanned(lastScans(scans));
  const vocabularies = await stores.vocabularies.load(unique(scans.map(vocabularyOf)), session);
  const visitorIds = scans.map(visitorDayOf).filter((id) => id !== null);
  const known = await stores.visitorDays.find(unique(visitorIds), session);
  const tally = new ScanTally(vocabularies, known);
  for (const scan of scans) tally.add(scan);
  const { days, visitors } = tally.result();
  await stores.cells.add(days, session);
  await stores.visitorDays.put(visitors, known, session);
  await stores.vocabularies.save(vocabularies, session);
  return { counted: scans.length, areAll };
}

function lastScans(scans: readonly Countable[]): Map<string, Date> {
  const last = new Map<string, Date>();
  for (const { linkId, scannedAt } of scans) {
    const known = last.get(linkId);
    if (!known || known < scannedAt) last.set(linkId, scannedAt);
  }
  return last;
}

const unique = (ids: string[]): string[] => [...new Set(ids)].sort();
