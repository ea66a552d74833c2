import type { EventDefinition } from '@waymark/contract/event';
import { scanLogged, scanReclassified, type LoggedScan, type ReclassifiedLink } from '@waymark/contract/events';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Inbox } from '@waymark/kernel/mongo/inbox';
import type { LinkStore, ScanCount } from './link-store.js';

const BATCH_MAX = 20;
const BATCH_WAIT_MS = 200;

type ScanData = { scans: LoggedScan[] } | { links: ReclassifiedLink[] };

/** Keeps `scans_count` and `last_scanned_at` consistent with the scans: delayed, but exact. */
export function startCountingScans(runtime: ConsumerContext, inbox: Inbox, links: LinkStore): void {
  startConsumer<ScanData>(runtime, {
    queue: 'resource.scans',
    events: [scanLogged, scanReclassified] as EventDefinition<ScanData>[],
    batchMax: BATCH_MAX,
    batchWaitMs: BATCH_WAIT_MS,
    handle: (events) =>
      inbox.applyOnce('resource.scans', events, async (fresh, tx) => {
        const counts = countsByLink(fresh.flatMap(({ data }) => linksOf(data)));
        if (counts.size > 0) await links.addScans(counts, tx.session);
      }),
  });
}

function linksOf(data: ScanData): ReclassifiedLink[] {
  if ('links' in data) return data.links;
  return data.scans.map(({ scan, link }) => ({
    id: link.id,
    scans_difference: 1,
    last_scanned_at: scan.scanned_at,
  }));
}

function countsByLink(links: readonly ReclassifiedLink[]): Map<string, ScanCount> {
  const counts = new Map<string, ScanCount>();
  for (const { id, scans_difference: difference, last_scanned_at: time } of links) {
    const { scans, lastScannedAt } = counts.get(id) ?? { scans: 0, lastScannedAt: null };
    const scannedAt = time === null ? null : new Date(time);
    const isLater = scannedAt !== null && (lastScannedAt === null || scannedAt > lastScannedAt);
    counts.set(id, { scans: scans + difference, lastScannedAt: isLater ? scannedAt : lastScannedAt });
  }
  return counts;
}
