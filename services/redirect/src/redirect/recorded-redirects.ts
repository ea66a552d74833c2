import type { ServerResponse } from 'node:http';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { Spool } from '../spool/spool.js';
import type { VisitTimes } from './visit-times.js';

interface Redirect {
  /** JSON, for the spool. */
  scan: string;
  response: ServerResponse;
  location: string;
  status: number;
  requestId: string;
  isIndexable: boolean;
  /** By `performance.now()`. */
  arrivedAt: number;
}

/**
 * The redirects of one turn of the event loop: one write puts their scans on disk, then they are sent. Under load that saves
 * most of the write calls; a single visitor waits only for the end of the turn.
 */
export class RecordedRedirects {
  private pending: Redirect[] = [];
  private readonly redirectCounter;

  constructor(
    private readonly spool: Spool,
    metrics: Metrics,
    private readonly visits: VisitTimes,
  ) {
    this.redirectCounter = metrics.counter('redirects_total', 'Answers to GET that redirect');
  }

  addRedirect(redirect: Redirect): void {
    if (this.pending.length === 0) setImmediate(this.sendAll);
    this.pending.push(redirect);
  }

  private readonly sendAll = (): void => {
    const { pending } = this;
    this.pending = [];
    this.spool.append(pending.map(({ scan }) => scan));
    for (const redirect of pending) sendRedirect(redirect.response, redirect);
    this.redirectCounter.inc(pending.length);
    const answeredAt = performance.now();
    for (const { arrivedAt } of pending) this.visits.add('redirect', arrivedAt, answeredAt);
  };
}

type RedirectAnswer = Pick<Redirect, 'status' | 'location' | 'requestId' | 'isIndexable'>;

export function sendRedirect(response: ServerResponse, answer: RedirectAnswer): void {
  const { status, location, requestId, isIndexable } = answer;
  const headers = [
    'Location',
    location,
    'Cache-Control',
    'private, no-store',
    'Referrer-Policy',
    'no-referrer-when-downgrade',
    'X-Request-Id',
    requestId,
    'Content-Length',
    '0',
  ];
  if (!isIndexable) headers.push('X-Robots-Tag', 'noindex');
  response.writeHead(status, headers);
  response.end();
}
