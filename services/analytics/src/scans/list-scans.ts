import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import { piecesBetween } from '../rollups/pieces.js';
import { readCells, type RollupReader } from '../rollups/read-cells.js';
import { segmentsIn } from '../rollups/segments.js';
import type { Selection } from '../selection/selection.js';
import type { Scan } from './scan.js';
import type { ScanStore } from './store.js';

export interface ScansContext extends RollupReader {
  scans: ScanStore;
}

/** A page of raw scans. The total is read from the rollups, which are far fewer and follow within a second or so. */
export async function listScans(ctx: ScansContext, selection: Selection, page: Page): Promise<PageOf<Scan>> {
  const counted = await countScansOf(ctx, selection);
  const skipped = (page.page - 1) * page.perPage;
  if (skipped > 0 && skipped >= counted) return { items: [], total: counted };
  const items = await ctx.scans.page(selection, page);
  return { items, total: Math.max(counted, items.length === 0 ? 0 : skipped + items.length) };
}

async function countScansOf(reader: RollupReader, selection: Selection): Promise<number> {
  const { startsAt, endsAt } = selection.days;
  const pieces = piecesBetween([startsAt.getTime(), endsAt.getTime()]);
  const segments = segmentsIn(selection);
  let total = 0;
  await readCells(reader, { selection, dimension: 'device', pieces, segments }, (_row, _piece, scans) => {
    total += scans;
  });
  return total;
}
