import type { ServerResponse } from 'node:http';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { Spool } from '../spool/spool.js';

/**
 * The 302s of one turn of the event loop: one write puts their scans on disk, then they are sent. Under load that saves
 * most of the write calls; a single visitor waits only for the end of the turn.
 */
export class RecordedAnswers {
  private scans: string[] = [];
  private responses: ServerResponse[] = [];
  private locations: string[] = [];
  private requestIds: string[] = [];
  private startedAt = 0;
  private readonly outcomes;
  private readonly seconds;

  constructor(
    private readonly spool: Spool,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('redirects_total', 'Answers to GET with 302');
    this.seconds = metrics.histogram('redirect_seconds', 'From the first visit of a turn to its last answer');
  }

  add(scan: string, response: ServerResponse, location: string, requestId: string): void {
    if (this.scans.length === 0) {
      this.startedAt = performance.now();
      setImmediate(this.send);
    }
    this.scans.push(scan);
    this.responses.push(response);
    this.locations.push(location);
    this.requestIds.push(requestId);
  }

  private readonly send = (): void => {
    const { scans, responses, locations, requestIds } = this;
    this.scans = [];
    this.responses = [];
    this.locations = [];
    this.requestIds = [];
    this.spool.append(scans);
    for (let i = 0; i < responses.length; i += 1) redirect(responses[i]!, locations[i]!, requestIds[i]!);
    this.outcomes.inc(responses.length);
    this.seconds.observe((performance.now() - this.startedAt) / 1000);
  };
}

export function redirect(response: ServerResponse, location: string, requestId: string): void {
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
