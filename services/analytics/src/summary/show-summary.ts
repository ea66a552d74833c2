import type { SummaryBody } from '@waymark/shared/contract/analytics';
import type { LinkStore } from '../links/store.js';
import type { DayCount, RollupStore } from '../rollups/store.js';
import type { ScanStore } from '../scans/store.js';
import { appliedFilters, type Selection } from '../selection/selection.js';
import { dateOf } from '../time/local-days.js';

export interface SummaryContext {
  scans: ScanStore;
  rollups: RollupStore;
  links: LinkStore;
}

/** Scans come from the rollups, unique visitors are counted exactly. `data_as_of` is the newest scan in both. */
export async function showSummary(ctx: SummaryContext, selection: Selection): Promise<SummaryBody> {
  const [counts, visitors, activeLinks, dataAsOf] = await Promise.all([
    ctx.rollups.countsByDay(selection),
    ctx.scans.visitorsByDays(selection),
    ctx.links.countActive(selection),
    ctx.scans.newestAt(selection.workspace),
  ]);
  const counted = counts.filter((count) => selection.includeBots || !count.isBot);
  const totalScans = sum(counted);
  return {
    data: {
      kpis: {
        total_scans: totalScans,
        unique_visitors: visitors.reduce((total, row) => total + row.visitors, 0),
        ...conversionFigures(selection),
        active_links: activeLinks,
        bot_scans: sum(counts.filter((count) => count.isBot)),
      },
      trend: trendOf(selection, counted, visitors),
      devices: devicesOf(counted, totalScans),
    },
    meta: {
      start_date: dateOf(selection.days.firstDay),
      end_date: dateOf(selection.days.lastDay),
      timezone: selection.timeZone,
      filters: appliedFilters(selection),
      data_as_of: dataAsOf?.toISOString() ?? null,
    },
  };
}

/** Nothing can be converted yet. A conversion has no device and no trigger, so under these filters there is no figure. */
function conversionFigures({ device, trigger }: Selection) {
  const figure = device === undefined && trigger === undefined ? 0 : null;
  return { conversions: figure, conversion_rate: figure };
}

function trendOf(
  selection: Selection,
  counts: DayCount[],
  visitors: { days: number[]; visitors: number }[],
): SummaryBody['data']['trend'] {
  const { firstDay, lastDay } = selection.days;
  const trend = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => ({
    date: dateOf(firstDay + index),
    scans: 0,
    unique_visitors: 0,
    conversions: conversionFigures(selection).conversions,
  }));
  for (const { day, scans } of counts) trend[day - firstDay]!.scans += scans;
  for (const row of visitors) for (const day of row.days) trend[day - firstDay]!.unique_visitors += row.visitors;
  return trend;
}

function devicesOf(counts: DayCount[], total: number): SummaryBody['data']['devices'] {
  const byDevice = new Map<DayCount['device'], number>();
  for (const { device, scans } of counts) byDevice.set(device, (byDevice.get(device) ?? 0) + scans);
  return [...byDevice]
    .map(([device, scans]) => ({ device, scans, share: scans / total }))
    .sort((a, b) => b.scans - a.scans || a.device.localeCompare(b.device));
}

function sum(counts: { scans: number }[]): number {
  return counts.reduce((total, { scans }) => total + scans, 0);
}
