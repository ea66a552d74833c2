import type { IncomingMessage, Server } from 'node:http';
import type { FastHistogram } from '@waymark/kernel/process/fast-histogram';
import type { Metrics } from '@waymark/kernel/process/metrics';

/** `redirect`: any redirect; `gone`: archived, expired or blocked; `refused`: the visitor's fault; `unavailable`: ours. */
const OUTCOMES = ['redirect', 'not_found', 'gone', 'refused', 'unavailable'] as const;
export type VisitOutcome = (typeof OUTCOMES)[number];

/** The objective of visits is 0.3 s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10];
const ARRIVED_AT = Symbol('arrivedAt');

type Visit = IncomingMessage & { [ARRIVED_AT]?: number };

/** Notes when each request arrives: under load it waits for its turn before it is handled. */
export function noteArrivals(server: Server): void {
  server.prependListener('request', (request: Visit) => {
    request[ARRIVED_AT] = performance.now();
  });
}

/** Returns the arrival of a visit, by `performance.now()`. */
export const arrivalOf = (request: Visit): number => request[ARRIVED_AT] ?? performance.now();

/** Measures every visit, GET and HEAD, from its arrival to its answer, its look-up included. */
export class VisitTimes {
  private readonly seconds: FastHistogram<VisitOutcome>;

  constructor(metrics: Metrics) {
    this.seconds = metrics.fastHistogram('visit_seconds', 'From the arrival of a visit to its answer', {
      label: 'outcome',
      values: OUTCOMES,
      buckets: BUCKETS,
    });
  }

  add(outcome: VisitOutcome, arrivedAt: number, answeredAt: number): void {
    this.seconds.observe(outcome, (answeredAt - arrivedAt) / 1000);
  }
}
