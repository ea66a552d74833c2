import { scanLogged, type LoggedScan } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import type { Inbox } from '@waymark/shared/kernel/inbox';
import type { LinkStore } from './store.js';

const BATCH_MAX = 20;

/** Keeps `scans_count` and `last_scanned_at` in step with the scans: later, but exactly. */
export function countScans(parts: ConsumerParts, inbox: Inbox, links: LinkStore): Consumer<{ scans: LoggedScan[] }> {
  return new Consumer(parts, {
    queue: 'resource.scans',
    events: [scanLogged],
    batchMax: BATCH_MAX,
    batchWaitMs: 20,
    handle: (events) =>
      inbox.once('resource.scans', events, async (fresh, tx) => {
        const counts = countsByLink(fresh.flatMap((event) => event.data.scans));
        if (counts.size > 0) await links.countScans(counts, tx.session);
      }),
  });
}

function countsByLink(scans: LoggedScan[]): Map<string, { scans: number; lastScannedAt: Date }> {
  const counts = new Map<string, { scans: number; lastScannedAt: Date }>();
  for (const { scan, link } of scans) {
    const at = new Date(scan.scanned_at);
    const before = counts.get(link.id);
    if (!before) counts.set(link.id, { scans: 1, lastScannedAt: at });
    else
      counts.set(link.id, {
        scans: before.scans + 1,
        lastScannedAt: at > before.lastScannedAt ? at : before.lastScannedAt,
      });
  }
  return counts;
}
