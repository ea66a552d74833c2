import type { ScansByDayBody, ScansByDayQuery } from '@waymark/contract/analytics';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import { keptFromOf, rowsKeptFrom, type RowsKeptContext } from '../../retention/rows-kept-from.js';
import { dateOfDay, dayNumber, localDate } from '../../time/local-days.js';
import type { ScanQuery } from '../../warehouse/query/scan-query.js';
import { dataAsOf, type ReportContext } from '../selection/report-context.js';

interface ScansByDayRequest {
  query: ScansByDayQuery;
  signal?: AbortSignal;
}

/** Counts the scans of several links on each of the last days, with one query. */
export async function showScansByDay(
  ctx: ReportContext & RowsKeptContext,
  workspace: WorkspaceAccess,
  { query: { ids, days, timezone, include_bots: includeBots }, signal }: ScansByDayRequest,
): Promise<ScansByDayBody> {
  const dates = lastDates(days, timezone);
  const [firstDate, lastDate] = [dates[0]!, dates.at(-1)!];
  const query: ScanQuery = {
    workspace: workspace.slug,
    ...{ firstDate, lastDate, includeBots },
    timeZone: timezone,
    filters: [{ name: 'link', values: ids, isNegated: false }],
    keptFrom: await keptFromOf(ctx, workspace),
  };
  // Read before the figures: `data_as_of` must not include scans that they miss.
  const [asOf, keptFrom] = await Promise.all([dataAsOf(ctx), rowsKeptFrom(ctx, workspace)]);
  const rows = await ctx.reader.countLinkDays(query, signal);
  const counted = new Map(rows.map(({ link, date, scans }) => [`${date} ${link}`, scans]));
  const daysOf = (id: string) => dates.map((date) => ({ date, scans: counted.get(`${date} ${id}`) ?? 0 }));
  return {
    data: Object.fromEntries(ids.map((id) => [id, daysOf(id)])),
    meta: {
      start_date: firstDate,
      end_date: lastDate,
      timezone,
      data_as_of: asOf?.toISOString() ?? null,
      rows_kept_from: keptFrom,
    },
  };
}

/** Returns this many local dates, today the last. */
function lastDates(count: number, timeZone: string): string[] {
  const today = dayNumber(localDate(timeZone, new Date()));
  return Array.from({ length: count }, (_, index) => dateOfDay(today - count + 1 + index));
}
