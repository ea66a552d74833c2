import type { Connection } from 'mongoose';
import { PART, type Cell } from '@waymark/analytics/rollups/cells';
import type { Scan } from '@waymark/analytics/scans/scan';

/** What the rollups say, as one number for each workspace, quarter-hour, link, campaign, device, trigger and kind. */
export async function rollupCounts(database: Connection): Promise<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { workspace, at, linkId, campaign, scans } of await database
    .collection<Cell>('rollups')
    .find()
    .toArray()) {
    for (const [counter, count] of Object.entries(scans)) {
      const [device, trigger, bot] = counter.split('_');
      const key = [workspace, at.toISOString(), linkId, campaign, device, trigger, bot === 'bot'].join(' ');
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  return Object.fromEntries([...counts].sort());
}

/** Counts that no fold has added to their cell yet. */
export function partsLeft(database: Connection): Promise<number> {
  return database.collection<Cell>('rollups').countDocuments({ _id: { $gte: PART } });
}

/** The same, counted anew from the raw rows. */
export async function countedAnew(database: Connection): Promise<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const scan of await database.collection<Scan>('scans').find().toArray()) {
    const quarter = new Date(scan.scannedAt);
    quarter.setUTCMinutes(quarter.getUTCMinutes() - (quarter.getUTCMinutes() % 15), 0, 0);
    const { workspace, linkId, campaign, device, trigger, isBot } = scan;
    const key = [workspace, quarter.toISOString(), linkId, campaign, device, trigger, isBot].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort());
}

/** How many scans are marked as the first of their link and UTC day by their visitor, and how many such firsts there are. */
export async function uniqueCounts(database: Connection): Promise<{ marked: number; firsts: number }> {
  const scans = await database
    .collection<Scan>('scans')
    .find({ isBot: false, visitor: { $ne: null } })
    .toArray();
  const firsts = new Set(
    scans.map(({ linkId, scannedAt, visitor }) => `${linkId} ${scannedAt.toISOString().slice(0, 10)} ${visitor}`),
  );
  return { marked: scans.filter((scan) => scan.isUnique).length, firsts: firsts.size };
}
