import { setTimeout as sleep } from 'node:timers/promises';
import { linksClient, qrClient, type ClientOptions } from '@waymark/client';
import type { RawScan } from '@waymark/contract/events';
import { sparse, type Progress } from '../progress.js';

const POLL_MS = 1000;
/** Analytics counts hundreds of scans a second. */
const STALLED_MS = 60_000;

interface Wanted {
  workspace: string;
  scans: readonly RawScan[];
  conversionCount: number;
  isQr: boolean;
}

/** Waits until the figures contain these scans, and so many conversions of their links. */
export async function waitForFigures(options: ClientOptions, wanted: Wanted, progress: Progress): Promise<void> {
  const report = sparse(progress);
  let best = -1;
  for (let grownAt = Date.now(); ; await sleep(POLL_MS)) {
    const found = await countScans(options, wanted);
    if (found.scans >= found.scansMax && found.conversions >= wanted.conversionCount) return;
    report(`counted ${found.scans} of ${found.scansMax} scans`);
    const total = found.scans + found.conversions;
    if (total > best) [best, grownAt] = [total, Date.now()];
    if (Date.now() - grownAt > STALLED_MS)
      throw new Error(`only ${found.scans} of ${found.scansMax} scans of the example were counted; the logs say why`);
  }
}

const SUMMARY = '/api/v1/workspaces/{workspace}/analytics/summary';

async function countScans(options: ClientOptions, { workspace, scans, isQr }: Wanted) {
  const ids = [...new Set(scans.map(({ link_id: id }) => id))].join();
  const start_date = scans[0]!.at.slice(0, 10);
  const path = { workspace };
  const { data, meta } = isQr
    ? (await qrClient(options).GET(SUMMARY, { params: { path, query: { start_date, qr_code_id: ids } } })).data
    : (await linksClient(options).GET(SUMMARY, { params: { path, query: { start_date, link_id: ids } } })).data;
  // Scans that the plan of the workspace does not keep are in no figure.
  const kept = scans.filter(({ at }) => at >= (meta.rows_kept_from ?? ''));
  return {
    scans: data.kpis.total_scans + data.kpis.bot_scans,
    scansMax: kept.length,
    conversions: 'conversions' in data.kpis ? (data.kpis.conversions ?? 0) : 0,
  };
}
