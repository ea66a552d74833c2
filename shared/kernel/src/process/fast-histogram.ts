import type { Histogram, Registry } from 'prom-client';

export interface HistogramSeries<Label extends string> {
  label: string;
  /** Of the label. Each series exists from the start, with 0: a rate over series that are missing would be missing too. */
  values: readonly Label[];
  /** In seconds. */
  buckets: readonly number[];
}

/** The observations of one label. */
class Observations {
  readonly counts: number[];
  sum = 0;

  constructor(private readonly buckets: readonly number[]) {
    this.counts = new Array<number>(buckets.length + 1).fill(0);
  }

  add(seconds: number): void {
    let index = 0;
    while (index < this.buckets.length && seconds > this.buckets[index]!) index += 1;
    this.counts[index]! += 1;
    this.sum += seconds;
  }
}

/** A histogram for what every visit does: an observation takes 0.02 us, and one of prom-client 0.35. */
export class FastHistogram<Label extends string> {
  private readonly byLabel;

  constructor(
    private readonly shape: HistogramSeries<Label> & { name: string; help: string },
    registry: Registry,
  ) {
    const { name, help, values, buckets } = shape;
    const entries = values.map((value) => [value, new Observations(buckets)]);
    this.byLabel = Object.fromEntries(entries) as Record<Label, Observations>;
    const metric = { name, help, type: 'histogram', aggregator: 'sum' };
    // The registry needs no more of a metric than its name and its values.
    registry.registerMetric({
      ...metric,
      get: () => ({ ...metric, values: this.allSeries() }),
    } as unknown as Histogram);
  }

  observe(label: Label, seconds: number): void {
    this.byLabel[label].add(seconds);
  }

  private allSeries() {
    const { name, label, values, buckets } = this.shape;
    return values.flatMap((value) => {
      const { counts, sum } = this.byLabel[value];
      const labels = { [label]: value };
      let count = 0;
      const cumulative = [...buckets, '+Inf'].map((le, index) => {
        count += counts[index]!;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
      });
      return [
        ...cumulative,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
  }
}
