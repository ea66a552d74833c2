import { setTimeout as sleep } from 'node:timers/promises';
import type { RawScan } from '@waymark/contract/events';
import { sparse, type Progress } from '../progress.js';
import type { MemberClient } from './member-client.js';

const POLL_MS = 1000;
/** Analytics counts hundreds of scans a second. */
const STALLED_MS = 60_000;

interface Summary {
  data: { kpis: { total_scans: number; bot_scans: number; conversions?: number } };
  meta: { rows_kept_from: string | null };
}

interface Wanted {
  scans: readonly RawScan[];
  conversionCount: number;
  isQr: boolean;
}

/** Waits until the figures contain these scans, and so many conversions of their links. */
export async function waitForFigures(analysts: MemberClient, wanted: Wanted, progress: Progress): Promise<void> {
  const ids = [...new Set(wanted.scans.map(({ link_id: id }) => id))].join();
  const filter = `${wanted.isQr ? 'qr_code_id' : 'link_id'}=${ids}`;
  const path = `/analytics/summary?start_date=${wanted.scans[0]!.at.slice(0, 10)}&${filter}`;
  const report = sparse(progress);
  let best = -1;
  for (let grownAt = Date.now(); ; await sleep(POLL_MS)) {
    const found = countsIn(await analysts.send<Summary>('GET', path), wanted);
    if (found.scans >= found.scansMax && found.conversions >= wanted.conversionCount) return;
    report(`counted ${found.scans} of ${found.scansMax} scans`);
    const total = found.scans + found.conversions;
    if (total > best) [best, grownAt] = [total, Date.now()];
    if (Date.now() - grownAt > STALLED_MS)
      throw new Error(`only ${found.scans} of ${found.scansMax} scans of the example were counted; the logs say why`);
  }
}

/** Scans that the plan of the workspace does not keep are in no figure. */
function countsIn({ data: { kpis }, meta }: Summary, { scans }: Wanted) {
  const kept = scans.filter(({ at }) => at >= (meta.rows_kept_from ?? ''));
  return {
    scans: kpis.total_scans + kpis.bot_scans,
    scansMax: kept.length,
    conversions: kpis.conversions ?? 0,
  };
}
