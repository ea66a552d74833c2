import type { ServerResponse } from 'node:http';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { Spool } from '../spool/spool.js';
import type { VisitTimes } from './visit-times.js';

interface Redirect {
  /** JSON, for the spool. */
  scan: string;
  response: ServerResponse;
  location: string;
  requestId: string;
  /** By `performance.now()`. */
  arrivedAt: number;
}

/**
 * The 302s of one turn of the event loop: one write puts their scans on disk, then they are sent. Under load that saves
 * most of the write calls; a single visitor waits only for the end of the turn.
 */
export class RecordedRedirects {
  private redirects: Redirect[] = [];
  private readonly outcomes;

  constructor(
    private readonly spool: Spool,
    metrics: Metrics,
    private readonly visits: VisitTimes,
  ) {
    this.outcomes = metrics.counter('redirects_total', 'Answers to GET with 302');
  }

  addRedirect(redirect: Redirect): void {
    if (this.redirects.length === 0) setImmediate(this.sendAll);
    this.redirects.push(redirect);
  }

  private readonly sendAll = (): void => {
    const { redirects } = this;
    this.redirects = [];
    this.spool.append(redirects.map(({ scan }) => scan));
    for (const { response, location, requestId } of redirects) sendRedirect(response, location, requestId);
    this.outcomes.inc(redirects.length);
    const answeredAt = performance.now();
    for (const { arrivedAt } of redirects) this.visits.add('redirect', arrivedAt, answeredAt);
  };
}

export function sendRedirect(response: ServerResponse, location: string, requestId: string): void {
  response.writeHead(302, [
    'Location',
    location,
    'Cache-Control',
    'private, no-store',
    'Referrer-Policy',
    'no-referrer-when-downgrade',
    'X-Robots-Tag',
    'noindex',
    'X-Request-Id',
    requestId,
    'Content-Length',
    '0',
  ]);
  response.end();
}
