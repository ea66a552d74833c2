import fc from 'fast-check';
import type { Interval } from '@waymark/contract/analytics';
import type { Scan } from '@waymark/analytics/ledger/scan';
import type { FigureDimension } from '@waymark/analytics/warehouse/query/figures';
import type { Filter, FilterName, ScanFilterName } from '@waymark/analytics/warehouse/query/scan-query';

/** A question as a client asks it; the filters have the names of the query parameters. */
export interface Question {
  startDate: string;
  endDate: string;
  timezone: string;
  filters?: Filter[];
  includeBots: boolean;
}

const CONTINENTS: Partial<Record<string, string>> = { GB: 'EU', DE: 'EU', US: 'NA', JP: 'AS' };
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const FIELDS = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' } as const;

/** Returns the parts of local time, with the UTC offset. */
export class LocalClock {
  private readonly format: Intl.DateTimeFormat;
  private readonly known = new Map<number, Record<string, string>>();

  constructor(timeZone: string) {
    this.format = new Intl.DateTimeFormat('en', { timeZone, ...FIELDS, weekday: 'short', timeZoneName: 'longOffset' });
  }

  at(time: number): { date: string; hour: string; weekday: string; offset: string } {
    let parts = this.known.get(time);
    if (!parts) {
      parts = Object.fromEntries(this.format.formatToParts(time).map(({ type, value }) => [type, value]));
      this.known.set(time, parts);
    }
    const { year, month, day, hour, weekday, timeZoneName } = parts;
    return {
      date: `${year}-${month}-${day}`,
      hour: String(Number(hour)),
      weekday: String(WEEKDAYS.indexOf(weekday!) + 1),
      offset: timeZoneName!,
    };
  }
}

/** Returns the first date of the point that contains a date. */
export function pointOf(date: string, interval: 'day' | 'week' | 'month'): string {
  if (interval === 'day') return date;
  if (interval === 'month') return `${date.slice(0, 7)}-01`;
  const day = new Date(date);
  return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10);
}

/** Returns the name of the point of a time in the warehouse. */
export function pointNameOf(clock: LocalClock, at: Date, interval: Interval): string {
  const time = at.getTime();
  if (interval !== 'hour') return pointOf(clock.at(time).date, interval);
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(clock.at(time).offset) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 * (sign === '-' ? -1 : 1);
  const start = Math.floor((time / 1000 + offset) / 3600) * 3600 - offset;
  return `${start} ${offset}`;
}

/** The current fields of a link; empty strings and lists when it has none. */
export interface NaiveLink {
  domain: string;
  folder: string;
  tags: string[];
}
/** The links of a workspace by id; others have no fields. */
export type NaiveLinks = Partial<Record<string, NaiveLink>>;

/** Generates links for some of these ids, with arbitrary text values. */
export const naiveLinks = (ids: readonly string[]): fc.Arbitrary<NaiveLinks> => {
  const link = fc.record({
    domain: fc.constantFrom('dom_a', "dom'b", ''),
    folder: fc.constantFrom('fld_a', 'fld_b', ''),
    tags: fc.subarray(['tag_a', 'tag_b', 'tag,c']),
  });
  return fc.record(Object.fromEntries(ids.map((id) => [id, fc.option(link, { nil: undefined, freq: 4 })])));
};

/** Returns the values of a scan in a dimension: several for tags, one for all others. */
export function valuesOf(
  scan: Scan,
  name: FilterName | FigureDimension,
  clock: LocalClock,
  links: NaiveLinks,
): string[] {
  const link = links[scan.linkId];
  if (name === 'tag' || name === 'domain' || name === 'folder') return linkValuesOf(link, name);
  if (name === 'source') throw new TypeError('a scan has no source');
  return [valueOf(scan, name, clock)];
}

export const linkValuesOf = (link: NaiveLink | undefined, name: 'tag' | 'domain' | 'folder'): string[] =>
  name === 'tag' ? (link && link.tags.length > 0 ? link.tags : ['none']) : [link?.[name] || 'none'];

type ScanValueName = Exclude<ScanFilterName | FigureDimension, 'tag' | 'domain' | 'folder'>;

export function valueOf(scan: Scan, name: ScanValueName, clock: LocalClock): string {
  if (name === 'language') return scan.language ?? 'unknown';
  if (name === 'link') return scan.linkId;
  if (name === 'campaign') return scan.campaign ?? 'none';
  if (name === 'continent') return CONTINENTS[scan.country] ?? 'unknown';
  if (name === 'hour' || name === 'weekday') return clock.at(scan.scannedAt.getTime())[name];
  return scan[name];
}

export const isListed = (found: string[], { values, isNegated }: Pick<Filter, 'values' | 'isNegated'>): boolean =>
  found.some((value) => values.includes(value)) !== isNegated;

/** Computes the figures scan by scan, directly from the documented rules. */
export class NaiveFigures {
  private readonly dates = new Map<Scan, string>();
  private readonly clock: LocalClock;
  private readonly matching: Scan[];
  readonly selected: Scan[];

  constructor(
    scans: readonly Scan[],
    private readonly question: Question,
    private readonly links: NaiveLinks = {},
  ) {
    this.clock = new LocalClock(question.timezone);
    for (const scan of scans) this.dates.set(scan, this.clock.at(scan.scannedAt.getTime()).date);
    this.matching = scans.filter((scan) => this.matches(scan));
    this.selected = this.matching.filter(({ isBot }) => question.includeBots || !isBot);
  }

  get summary() {
    return {
      total_scans: this.selected.length,
      unique_visitors: visitorsOf(this.selected),
      bot_scans: this.matching.filter(({ isBot }) => isBot).length,
    };
  }

  /** Ids of the rows, newest first. */
  get rows(): string[] {
    const time = ({ scannedAt }: Scan) => scannedAt.getTime();
    return this.selected.toSorted((a, b) => time(b) - time(a) || (a._id < b._id ? 1 : -1)).map(({ _id }) => _id);
  }

  trend(interval: Interval) {
    const { startDate, endDate } = this.question;
    const names =
      interval === 'hour'
        ? [...new Set(this.minutes().map((time) => this.hourAt(time)))]
        : [...new Set(datesFrom(startDate, endDate).map((date) => pointOf(date, interval)))];
    return names.map((name) => {
      const scans = this.selected.filter((scan) => this.pointNameOf(scan, interval) === name);
      return { date: name.slice(0, 10), scans: scans.length, unique_visitors: visitorsOf(scans) };
    });
  }

  private pointNameOf(scan: Scan, interval: Interval): string {
    return interval === 'hour' ? this.hourAt(scan.scannedAt.getTime()) : pointOf(this.dates.get(scan)!, interval);
  }

  /** A repeated hour differs in its UTC offset. */
  private hourAt(time: number): string {
    const { date, hour, offset } = this.clock.at(time);
    return `${date} ${hour} ${offset}`;
  }

  /** Returns every quarter of an hour in the range. */
  private minutes(): number[] {
    const { startDate, endDate } = this.question;
    const [from, to] = [Date.parse(startDate) - 2 * 86_400_000, Date.parse(endDate) + 3 * 86_400_000];
    const all = Array.from({ length: (to - from) / 900_000 }, (_, index) => from + index * 900_000);
    return all.filter((time) => {
      const { date } = this.clock.at(time);
      return date >= startDate && date <= endDate;
    });
  }

  breakdown(dimension: FigureDimension) {
    const values = [...new Set(this.selected.flatMap((scan) => this.valuesOf(scan, dimension)))];
    return values
      .map((value) => {
        const scans = this.selected.filter((scan) => this.valuesOf(scan, dimension).includes(value));
        return {
          value,
          scans: scans.length,
          unique_visitors: visitorsOf(scans),
          share: scans.length / this.selected.length,
        };
      })
      .sort((a, b) => b.scans - a.scans || (a.value < b.value ? -1 : 1));
  }

  private matches(scan: Scan): boolean {
    const { startDate, endDate, filters = [] } = this.question;
    const date = this.dates.get(scan)!;
    return (
      date >= startDate &&
      date <= endDate &&
      filters.every(({ name, ...list }) => isListed(this.valuesOf(scan, name), list))
    );
  }

  private valuesOf(scan: Scan, name: FilterName | FigureDimension): string[] {
    return valuesOf(scan, name, this.clock, this.links);
  }
}

export const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string) =>
  groupByAll(items, (item) => [keyOf(item)]);

export function groupByAll<T>(items: readonly T[], keysOf: (item: T) => string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) for (const key of keysOf(item)) groups.set(key, [...(groups.get(key) ?? []), item]);
  return groups;
}

/** Counts distinct pairs of UTC day and visitor. */
function visitorsOf(scans: readonly Scan[]): number {
  const known = scans.filter(({ visitor }) => visitor !== null);
  return new Set(known.map(({ scannedAt, visitor }) => `${scannedAt.toISOString().slice(0, 10)} ${visitor}`)).size;
}

export function datesFrom(start: string, end: string): string[] {
  const dates = [];
  for (let day = Date.parse(start); day <= Date.parse(end); day += 86_400_000) {
    dates.push(new Date(day).toISOString().slice(0, 10));
  }
  return dates;
}
