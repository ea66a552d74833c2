import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../version.js';
import { withTimeout } from '../with-timeout.js';
import { FastHistogram, type HistogramSeries } from './fast-histogram.js';
import { onLineDropped } from './log.js';
import type { RunningWork } from './running-work.js';

/**
 * The delay of the event loop is that of a timer with this period, which the delay includes. The default
 * of 10 ms costs an idle process 4 ms of CPU a second, this 1.6 ms.
 */
export const LOOP_TIMER_MS = 50;

/** Of waiting, from moments to days: something may wait for as long as an outage lasts. */
const AGE_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400];

interface GaugeSeries {
  label: string;
  /** Returns the values by label. */
  read: () => Promise<Map<string, number>>;
}

/** Factories for this process's metrics; every name starts with `waymark_`. */
export class Metrics {
  readonly registry = new Registry();
  readonly messagesConsumed = this.counter('messages_consumed_total', 'Messages by queue and outcome', [
    'queue',
    'outcome',
  ]);
  /** Includes the time in an outbox, a spool's batch or a retry queue. */
  readonly messageAge = this.ageHistogram('message_age_seconds', 'From an event to the end of its handling', ['queue']);
  readonly connectionsRefused = this.counter(
    'connections_refused_total',
    'Connections beyond the limit of the process',
  );

  /** Counters of damaged rows, by collection. */
  private readonly damagedRows = new Map<string, () => Promise<number>>();
  private runningWork?: RunningWork;

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LOOP_TIMER_MS });
    const help = '1, with the version that runs';
    const labelNames = ['version'];
    new Gauge({ name: 'waymark_build_info', help, labelNames, registers: [this.registry] }).set(
      { version: VERSION },
      1,
    );
    const dropped = this.counter('log_lines_dropped_total', 'Log lines dropped since the reader of stdout is stalled');
    onLineDropped(() => dropped.inc());
    this.addOwnGauges();
  }

  /** Shows how many rows of a collection no worker can claim because they are damaged; the others do not wait for them. */
  showDamagedRows(collection: string, count: () => Promise<number>): void {
    this.damagedRows.set(collection, count);
  }

  /** Shows for how long the running work has made no progress, by kind. */
  showRunningWork(work: RunningWork): void {
    this.runningWork = work;
  }

  private addOwnGauges(): void {
    this.addGauge({
      name: 'waymark_damaged_rows',
      help: 'Rows that no worker can claim because they are damaged',
      labelNames: ['collection'],
      read: () => [...this.damagedRows].map(([collection, count]) => ({ labels: { collection }, read: count })),
    });
    this.addGauge({
      name: 'waymark_work_running_seconds',
      help: 'The longest time for which running work has made no progress',
      labelNames: ['work'],
      read: () =>
        [...(this.runningWork?.longestSeconds ?? [])].map(([work, seconds]) => ({
          labels: { work },
          read: () => seconds,
        })),
    });
  }

  private addGauge({ read, ...options }: GaugeOptions): Gauge {
    return new Gauge({
      ...options,
      registers: [this.registry],
      async collect() {
        const show = async ({ labels, read }: Reading) => {
          const value = await readInTime(read).catch(() => null);
          // The server behind the reading is unavailable: an earlier value would hide that.
          if (value === null) this.remove(labels);
          else this.set(labels, value);
        };
        await Promise.all(read().map(show));
      },
    });
  }

  counter<L extends string = never>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({ name: `waymark_${name}`, help, labelNames, registers: [this.registry] });
  }

  histogram<L extends string = never>(name: string, help: string, labelNames: L[] = []): Histogram<L> {
    const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
    return new Histogram({ name: `waymark_${name}`, help, labelNames, buckets, registers: [this.registry] });
  }

  /** A histogram of how long something has waited. */
  ageHistogram<L extends string = never>(name: string, help: string, labelNames: L[] = []): Histogram<L> {
    return new Histogram({
      name: `waymark_${name}`,
      help,
      labelNames,
      buckets: AGE_BUCKETS,
      registers: [this.registry],
    });
  }

  /** A histogram with one label, for what happens ten thousands of times a second. */
  fastHistogram<Label extends string>(
    name: string,
    help: string,
    series: HistogramSeries<Label>,
  ): FastHistogram<Label> {
    return new FastHistogram({ name: `waymark_${name}`, help, ...series }, this.registry);
  }

  /** A gauge with one label, read when it is scraped. It has no series while the reading fails or takes too long. */
  labelledGauge(name: string, help: string, { label, read }: GaugeSeries): Gauge {
    return new Gauge({
      name: `waymark_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      async collect() {
        this.reset();
        const values = await readInTime(read).catch(() => new Map<string, number>());
        for (const [value, number] of values) this.set({ [label]: value }, number);
      },
    });
  }

  /** A gauge that is read when it is scraped. It has no value while the reading fails or takes too long. */
  gauge(name: string, help: string, read: Reading['read']): Gauge {
    return this.addGauge({ name: `waymark_${name}`, help, labelNames: [], read: () => [{ labels: {}, read }] });
  }
}

/** Prometheus waits 10 s for all values of a process; `/metrics` answers in less than 2 s, with what can be read. */
const READ_TIMEOUT_MS = 1500;

interface Reading {
  labels: Record<string, string>;
  read: () => number | Promise<number>;
}

interface GaugeOptions {
  name: string;
  help: string;
  labelNames: string[];
  read: () => Reading[];
}

const readInTime = async <T>(read: () => T | Promise<T>): Promise<T> =>
  withTimeout(READ_TIMEOUT_MS, Promise.resolve(read()), () => new Error('the reading takes too long'));
