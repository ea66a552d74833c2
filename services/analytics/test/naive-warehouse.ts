import type { Scan } from '@waymark/analytics/scans/scan';
import type { FigureDimension, Interval } from '@waymark/analytics/warehouse/query/figures';
import type { FilterName, Question } from '@waymark/analytics/warehouse/query/question';

/** The figures of a question, counted scan by scan and in no other way than the documents say. */
export class NaiveWarehouse {
  private readonly format: Intl.DateTimeFormat;
  private readonly matching: Scan[];
  readonly counted: Scan[];

  constructor(
    scans: readonly Scan[],
    private readonly question: Question,
  ) {
    const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' } as const;
    this.format = new Intl.DateTimeFormat('en-CA', { timeZone: question.timeZone, ...fields });
    this.matching = scans.filter((scan) => this.matches(scan));
    this.counted = this.matching.filter(({ isBot }) => question.includeBots || !isBot);
  }

  summary(interval: Interval) {
    const points = groupBy(this.matching, (scan) => pointOf(this.dateOf(scan), interval));
    const devices = groupBy(this.matching, ({ device }) => device);
    const row = (part: string, value: string, scans: Scan[]) => {
      const counted = scans.filter((scan) => this.counted.includes(scan));
      const bots = scans.filter(({ isBot }) => isBot).length;
      return { part, value, scans: counted.length, unique_visitors: visitorsOf(counted), bot_scans: bots };
    };
    return [
      row('total', '', this.matching),
      ...[...points].map(([value, scans]) => row('point', value, scans)),
      ...[...devices].map(([value, scans]) => row('device', value, scans)),
    ];
  }

  breakdown(dimension: FigureDimension, limit: number) {
    return [...groupBy(this.counted, (scan) => this.valueOf(scan, dimension))]
      .map(([value, scans]) => ({
        dimension,
        value,
        scans: scans.length,
        unique_visitors: visitorsOf(scans),
        total: this.counted.length,
      }))
      .sort((a, b) => b.scans - a.scans || (a.value < b.value ? -1 : 1))
      .slice(0, limit);
  }

  /** Ids of the rows, newest first. */
  get rows(): string[] {
    const time = ({ scannedAt }: Scan) => scannedAt.getTime();
    return this.counted.toSorted((a, b) => time(b) - time(a) || (a._id < b._id ? 1 : -1)).map(({ _id }) => _id);
  }

  private matches(scan: Scan): boolean {
    const { workspace, firstDate, lastDate, filters } = this.question;
    const date = this.dateOf(scan);
    if (scan.workspace !== workspace || date < firstDate || date > lastDate) return false;
    return filters.every(({ name, values, isNegated }) => values.includes(this.valueOf(scan, name)) !== isNegated);
  }

  private valueOf(scan: Scan, name: FilterName | FigureDimension): string {
    if (name === 'link') return scan.linkId;
    if (name === 'campaign') return scan.campaign ?? '';
    if (name === 'hour') return String(Number(this.partOf(scan, 'hour')));
    if (name === 'weekday') return String(((new Date(this.dateOf(scan)).getUTCDay() + 6) % 7) + 1);
    return scan[name];
  }

  private dateOf(scan: Scan): string {
    return `${this.partOf(scan, 'year')}-${this.partOf(scan, 'month')}-${this.partOf(scan, 'day')}`;
  }

  private partOf({ scannedAt }: Scan, type: string): string {
    return this.format.formatToParts(scannedAt).find((part) => part.type === type)!.value;
  }
}

function pointOf(date: string, interval: Interval): string {
  if (interval === 'day') return date;
  if (interval === 'month') return `${date.slice(0, 7)}-01`;
  const day = new Date(date);
  return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** Distinct pairs of UTC day and visitor. */
function visitorsOf(scans: readonly Scan[]): number {
  const known = scans.filter(({ visitor }) => visitor !== null);
  return new Set(known.map(({ scannedAt, visitor }) => `${scannedAt.toISOString().slice(0, 10)} ${visitor}`)).size;
}
