import type { Scan } from '@waymark/analytics/ledger/scan';
import type { Interval } from '@waymark/contract/analytics';
import type { FigureDimension } from '@waymark/analytics/warehouse/query/figures';
import type { ScanQuery } from '@waymark/analytics/warehouse/query/scan-query';
import { groupBy, groupByAll, isListed, LocalClock, pointNameOf, valuesOf, type NaiveLinks } from './naive.js';

/** Computes the figures of a question scan by scan, directly from the documented rules. */
export class NaiveWarehouse {
  private readonly clock: LocalClock;
  private readonly matching: Scan[];
  readonly counted: Scan[];

  constructor(
    scans: readonly Scan[],
    private readonly question: ScanQuery,
    private readonly links: NaiveLinks,
  ) {
    this.clock = new LocalClock(question.timeZone);
    this.matching = scans.filter((scan) => this.matches(scan));
    this.counted = this.matching.filter(({ isBot }) => question.includeBots || !isBot);
  }

  summary(interval: Interval) {
    const points = groupBy(this.matching, ({ scannedAt }) => pointNameOf(this.clock, scannedAt, interval));
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
    return [...groupByAll(this.counted, (scan) => valuesOf(scan, dimension, this.clock, this.links))]
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

  /** The scans of each link on each day that has some. */
  linkDays() {
    return [...groupBy(this.counted, (scan) => `${this.dateOf(scan)} ${scan.linkId}`)].map(([key, scans]) => {
      const date = key.slice(0, 10);
      return { link: key.slice(date.length + 1), date, scans: scans.length };
    });
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
    return filters.every(({ name, ...list }) => isListed(valuesOf(scan, name, this.clock, this.links), list));
  }

  private dateOf({ scannedAt }: Scan): string {
    return this.clock.at(scannedAt.getTime()).date;
  }
}

/** Counts distinct pairs of UTC day and visitor. */
function visitorsOf(scans: readonly Scan[]): number {
  const known = scans.filter(({ visitor }) => visitor !== null);
  return new Set(known.map(({ scannedAt, visitor }) => `${scannedAt.toISOString().slice(0, 10)} ${visitor}`)).size;
}
