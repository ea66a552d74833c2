import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import { piecesBetween } from '../rollups/pieces.js';
import { readCells, type RollupReader } from '../rollups/read-cells.js';
import { segmentsIn } from '../rollups/segments.js';
import type { RetentionStore } from '../retention/retention-store.js';
import type { Selection } from '../selection/selection.js';
import type { Scan } from './scan.js';
import type { ScanStore } from './store.js';

export interface ScansContext extends RollupReader {
  scans: ScanStore;
  retention: RetentionStore;
}

/**
 * A page of raw scans. The total is read from the rollups, which are far fewer and follow within a second or so; they
 * outlive the rows.
 */
export async function listScans(ctx: ScansContext, selection: Selection, page: Page): Promise<PageOf<Scan>> {
  const counted = await countScansOf(ctx, selection);
  const skipped = (page.page - 1) * page.perPage;
  if (skipped > 0 && skipped >= counted) return { items: [], total: counted };
  const items = await ctx.scans.page(selection, page);
  return { items, total: Math.max(counted, items.length === 0 ? 0 : skipped + items.length) };
}

async function countScansOf(reader: ScansContext, selection: Selection): Promise<number> {
  const { workspace, days } = selection;
  const keptFrom = (await reader.retention.keptFrom(workspace))?.getTime() ?? 0;
  const [from, to] = [Math.max(days.startsAt.getTime(), keptFrom), days.endsAt.getTime()];
  if (from >= to) return 0;
  const pieces = piecesBetween([from, to]);
  const segments = segmentsIn(selection);
  let total = 0;
  await readCells(reader, { selection, dimension: 'device', pieces, segments }, (_row, _piece, scans) => {
    total += scans;
  });
  return total;
}
