import type { Dimension } from '@waymark/shared/contract/analytics';
import type { Scan } from '@waymark/analytics/scans/scan';

/** A question as a client asks it: absent means all. */
export interface Question {
  startDate: string;
  endDate: string;
  timezone: string;
  link?: string;
  device?: string;
  campaign?: string;
  trigger?: string;
  includeBots: boolean;
}

/** The figures, counted scan by scan and in no other way than the documents say. */
export class NaiveFigures {
  private readonly dates = new Map<Scan, string>();
  private readonly matching: Scan[];
  readonly selected: Scan[];

  constructor(
    scans: readonly Scan[],
    private readonly question: Question,
  ) {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: question.timezone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    for (const scan of scans) this.dates.set(scan, format.format(scan.scannedAt));
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

  get trend() {
    return datesFrom(this.question.startDate, this.question.endDate).map((date) => {
      const scans = this.selected.filter((scan) => this.dates.get(scan) === date);
      return { date, scans: scans.length, unique_visitors: visitorsOf(scans) };
    });
  }

  breakdown(dimension: Dimension) {
    const values = [...new Set(this.selected.map((scan) => scan[dimension]))];
    return values
      .map((value) => {
        const scans = this.selected.filter((scan) => scan[dimension] === value);
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
    const { startDate, endDate, link, device, campaign, trigger } = this.question;
    const date = this.dates.get(scan)!;
    return (
      date >= startDate &&
      date <= endDate &&
      (link === undefined || scan.linkId === link) &&
      (device === undefined || scan.device === device) &&
      (campaign === undefined || scan.campaign === campaign) &&
      (trigger === undefined || scan.trigger === trigger)
    );
  }
}

/** Distinct pairs of UTC day and visitor. */
function visitorsOf(scans: readonly Scan[]): number {
  const known = scans.filter(({ visitor }) => visitor !== null);
  return new Set(known.map(({ scannedAt, visitor }) => `${scannedAt.toISOString().slice(0, 10)} ${visitor}`)).size;
}

export function datesFrom(start: string, end: string): string[] {
  const dates = [];
  for (let at = Date.parse(start); at <= Date.parse(end); at += 86_400_000) {
    dates.push(new Date(at).toISOString().slice(0, 10));
  }
  return dates;
}
