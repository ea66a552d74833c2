import type { Interval, Summary, TrendPoint } from '../../api/analytics.js';
import type { ChartPoint } from '../../charts/trend-chart.js';
import { addDays, weekdayOf } from '../../format/dates.js';
import {
  formatDate,
  formatDates,
  formatLongDate,
  formatLongMonth,
  formatMomentIn,
  formatMonth,
  formatTimeIn,
} from '../../format/format.js';

/** Up to this number of days, each has a label. */
const LABELLED_DAYS_MAX = 10;

export type Series = 'scans' | 'unique_visitors' | 'conversions';

type Moment = Pick<TrendPoint, 'date' | 'starts_at'>;

const lastDayOfWeek = (date: string): string => addDays(date, 6);

export function titleOf({ date, starts_at: start }: Moment, interval: Interval, timezone: string): string {
  if (interval === 'hour') return formatMomentIn(start, timezone);
  if (interval === 'week') return formatDates(date, lastDayOfWeek(date));
  return interval === 'month' ? formatLongMonth(date) : formatLongDate(date);
}

/** The tip has room for a short name beside the figure. */
function shortTitleOf(moment: Moment, interval: Interval, timezone: string): string {
  if (interval === 'hour') return `${formatDate(moment.date)}, ${formatTimeIn(moment.starts_at, timezone)}`;
  return interval === 'day' ? formatDate(moment.date) : titleOf(moment, interval, timezone);
}

function labelOf({ date, starts_at: start }: Moment, interval: Interval, { timezone, isOneDay }: Labels): string {
  if (interval === 'hour' && isOneDay) return formatTimeIn(start, timezone);
  return interval === 'month' ? formatMonth(date) : formatDate(date);
}
interface Labels {
  timezone: string;
  isOneDay: boolean;
}

function isLabelled(
  { date, starts_at: start }: Moment,
  interval: Interval,
  labels: Labels & { count: number },
): boolean {
  if (interval === 'hour') {
    const hour = Number(formatTimeIn(start, labels.timezone).slice(0, 2));
    return labels.isOneDay ? hour % 3 === 0 : hour === 0;
  }
  return interval !== 'day' || labels.count <= LABELLED_DAYS_MAX || weekdayOf(date) === 1;
}

/** The points of the chart, with a line for each of `lines`. */
export function pointsOf({ data, meta }: Summary, lines: readonly Series[]): ChartPoint[] {
  const { interval, timezone } = meta;
  const labels = { timezone, isOneDay: meta.start_date === meta.end_date, count: data.trend.length };
  const time = new Date().toISOString();
  return data.trend.map((point, index) => {
    const next = data.trend[index + 1]?.starts_at ?? endOf(point, interval);
    const { previous } = point;
    return {
      label: labelOf(point, interval, labels),
      isLabelled: isLabelled(point, interval, labels),
      title: titleOf(point, interval, timezone),
      bar: point.scans ?? 0,
      lines: lines.map((name) => point[name] ?? 0),
      previous: previous ? { label: shortTitleOf(previous, interval, timezone), value: previous.scans } : undefined,
      isPartial: point.starts_at <= time && time < next,
    };
  });
}

const HOUR_MS = 3_600_000;
const HOURS: Record<Interval, number> = { hour: 1, day: 24, week: 24 * 7, month: 24 * 31 };
/** When the last point ends, to about an hour where clocks change. */
const endOf = ({ starts_at: start }: Moment, interval: Interval): string =>
  new Date(Date.parse(start) + HOURS[interval] * HOUR_MS).toISOString();
