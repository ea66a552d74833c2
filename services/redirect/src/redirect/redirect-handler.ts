import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import type { Metrics } from '@waymark/shared/kernel/metrics';
import { requestIdOf } from '@waymark/shared/kernel/request-context';
import type { Spool } from '../spool/spool.js';
import { Unanswered, type TargetFinder } from '../targets/find-target.js';
import { targetKey } from '../targets/record.js';
import type { Revalidator } from '../targets/revalidator.js';
import type { TargetCache } from '../targets/target-cache.js';
import type { Target } from '../targets/target.js';
import { visit } from './destination.js';
import { RecordedAnswers, redirect } from './recorded-answers.js';
import { refuse, type Refusal } from './refusals.js';
import { ScanWriter } from './scan.js';
import type { ShortHosts } from './short-hosts.js';
import type { VisitorAddress } from './visitor-address.js';

export interface RedirectParts {
  hosts: ShortHosts;
  addresses: VisitorAddress;
  cache: TargetCache;
  finder: TargetFinder;
  revalidator: Revalidator;
  spool: Spool;
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

interface Asked {
  path: Path;
  hostname: string | null;
  query: string;
}

/**
 * Answers visitors. A code in memory is answered in the turn of the event loop in which the visit came: nothing is
 * waited for, and the scan is on disk before the answer leaves.
 */
export class RedirectHandler {
  private readonly scans = new ScanWriter();
  private readonly answers;
  private readonly refusals;

  constructor(private readonly parts: RedirectParts) {
    this.answers = new RecordedAnswers(parts.spool, parts.metrics);
    this.refusals = parts.metrics.counter('refusals_total', 'Visits that ended in no redirect', ['reason']);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.parts.lifecycle.isStopping) response.shouldKeepAlive = false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return this.refuse('method_not_allowed', request, response);
    }
    const asked = this.parse(request);
    if (!asked) return this.refuse('not_found', request, response);
    const key = targetKey(asked.hostname, asked.path.shortCode);
    const target = this.parts.cache.get(key);
    if (target) return this.serve(target, asked, request, response);
    if (this.parts.cache.isKnownMiss(key)) return this.refuse('not_found', request, response);
    void this.findAndServe(asked, request, response);
  }

  private parse(request: IncomingMessage): Asked | undefined {
    const url = request.url!;
    const queryAt = url.indexOf('?');
    const path = parsePath(queryAt === -1 ? url : url.slice(0, queryAt));
    if (!path) return undefined;
    const hostname = this.parts.hosts.hostnameOf(request.headers.host);
    if (hostname === undefined) return undefined;
    return { path, hostname, query: queryAt === -1 ? '' : url.slice(queryAt + 1) };
  }

  private async findAndServe(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const target = await this.parts.finder.find(asked.hostname, asked.path.shortCode);
      if (response.destroyed) return;
      if (target) this.serve(target, asked, request, response);
      else this.refuse('not_found', request, response);
    } catch (error) {
      if (!(error instanceof Unanswered)) this.parts.log.error({ err: error }, 'look-up failed');
      if (!response.headersSent) this.refuse('service_unavailable', request, response);
    }
  }

  private serve(target: Target, asked: Asked, request: IncomingMessage, response: ServerResponse): void {
    const now = Date.now();
    if (now > target.checkAt) this.parts.revalidator.check(target, now);
    if (target.record.isArchived) return this.refuse('gone', request, response);
    if (!target.destination) return this.refuse('not_found', request, response);
    const { location, qr } = visit(target.destination, asked.query);
    const requestId = requestIdOf(request.headers['x-request-id'] as string | undefined);
    if (request.method === 'HEAD') return redirect(response, location, requestId);
    const address = this.parts.addresses.of(request.socket, request.headers['x-forwarded-for'] as string | undefined);
    const scan = this.scans.write(now, target, qr || asked.path.isQr, address, request.headers);
    this.answers.add(scan, response, location, requestId);
  }

  private refuse(refusal: Refusal, request: IncomingMessage, response: ServerResponse): void {
    refuse(refusal, request, response);
    this.refusals.inc({ reason: refusal });
  }
}

interface Path {
  shortCode: string;
  isQr: boolean;
}

/** `/{code}` or `/q/{code}`; a QR code in capitals takes fewer modules, so `/Q/` is the same. */
const PATH = /^\/(q\/)?([a-z0-9_-]{1,64})$/i;

function parsePath(path: string): Path | undefined {
  const match = PATH.exec(path.includes('%') ? decode(path) : path);
  return match ? { shortCode: match[2]!, isQr: match[1] !== undefined } : undefined;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
