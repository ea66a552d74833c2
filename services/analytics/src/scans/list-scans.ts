import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import type { RollupStore } from '../rollups/store.js';
import type { Selection } from '../selection/selection.js';
import type { Scan } from './scan.js';
import type { ScanStore } from './store.js';

/** A page of raw scans. The total is read from the rollups, which hold the same scans and are far fewer. */
export async function listScans(
  ctx: { scans: ScanStore; rollups: RollupStore },
  selection: Selection,
  page: Page,
): Promise<PageOf<Scan>> {
  const total = await ctx.rollups.countScans(selection);
  const isPastTheEnd = (page.page - 1) * page.perPage >= total;
  return { items: isPastTheEnd ? [] : await ctx.scans.page(selection, page), total };
}
