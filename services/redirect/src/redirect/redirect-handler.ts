import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Bots } from '@waymark/visitors/bots';
import { isOutage } from '@waymark/kernel/errors';
import { hasBody } from '@waymark/kernel/http/read-body';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { requestIdOf } from '@waymark/kernel/process/request-context';
import type { Host, HostRecord, HostSettings } from '../hosts/host.js';
import type { RefusalPages } from '../pages/refusal-pages.js';
import { refusalOf, type Refusal } from '../pages/refusals.js';
import { LookupFailed } from '../read-model/finder.js';
import type { ReadModel } from '../read-model/read-model.js';
import type { Spool } from '../spool/spool.js';
import { targetKey, type TargetRecord } from '../targets/target-record.js';
import type { RedirectTarget } from '../targets/target.js';
import type { ScanCounter } from '../targets/scan-counter.js';
import type { LinkAddress } from '../targets/target-model.js';
import { NetworkBuckets } from '@waymark/kernel/limits/network-buckets';
import {
  decide,
  decideMiss,
  isMiss,
  type Decision,
  type DecisionContext,
  type Found,
  type RedirectRequest,
} from './decide.js';
import { findVisited } from './find-visited.js';
import { sendFile } from './host-files.js';
import { hasTwoHosts, hostAndPathOf, parseUrl } from './parse-url.js';
import { RecordedRedirects, sendRedirect } from './recorded-redirects.js';
import { isPrefetch, ScanWriter, userAgentOf } from './scan-writer.js';
import type { ShortHosts } from './short-hosts.js';
import { arrivalOf, VisitTimes } from './visit-times.js';
import type { VisitorAddress } from './visitor-address.js';

/** Bounds how long a visitor waits for a look-up. */
const FIND_TIMEOUT_MS = 240;
/** One visitor gets at most `perKey` of the `total` look-ups: the rest is for other visitors. */
const LOOKUPS = { total: 500, perKey: 32, waitMaxMs: FIND_TIMEOUT_MS };

/** The form at a path of its own that no link can have, for every method. */
interface ReportPages {
  isAt(path: string): boolean;
  handle(path: string, exchange: { request: IncomingMessage; response: ServerResponse; isHttps: boolean }): void;
}

export interface HandlerContext extends DecisionContext {
  shortHosts: ShortHosts;
  /** Whether the default short host is served by https. */
  isHttps: boolean;
  addresses: VisitorAddress;
  hosts: ReadModel<HostRecord, Host, string>;
  targets: ReadModel<TargetRecord, RedirectTarget, LinkAddress>;
  pages: RefusalPages;
  scanCounter: ScanCounter;
  spool: Spool;
  reportForm: ReportPages;
  missesPerMinute: number;
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

type Redirection = Extract<Decision, { answer: 'redirect' }>;

interface Visit {
  /** In milliseconds. */
  now: number;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Answers visitors. A code in memory is answered in the turn of the event loop in which the visit came, without
 * waiting; the scan is on disk before the answer leaves.
 */
export class RedirectHandler {
  private readonly scans = new ScanWriter();
  /** Counts each visitor's requests for codes and hosts that do not exist; visits of links are not counted. */
  private readonly misses;
  /** By visitor. */
  private readonly lookUps = new KeyedLimit(LOOKUPS);
  private readonly visits;
  private readonly recorded;
  private readonly refusals;
  private readonly fallbacks;
  private readonly expired;
  private readonly bots = new Bots();

  constructor(private readonly ctx: HandlerContext) {
    this.visits = new VisitTimes(ctx.metrics);
    this.recorded = new RecordedRedirects(ctx.spool, ctx.metrics, this.visits);
    this.misses = new NetworkBuckets(ctx.missesPerMinute);
    this.refusals = ctx.metrics.counter('refusals_total', 'Visits that ended in no redirect', ['reason']);
    this.fallbacks = ctx.metrics.counter('fallbacks_total', 'Visits that were sent to the not_found_url of their host');
    this.expired = ctx.metrics.counter(
      'expired_visits_total',
      'Visits of links that had ended, sent to an expired_url',
    );
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    // No body is read: the connection of a visit that has one ends with the answer.
    if (this.ctx.lifecycle.isStopping || hasBody(request)) response.shouldKeepAlive = false;
    const requested = hostAndPathOf(request);
    const isReport = this.ctx.reportForm.isAt(requested.path);
    if (!isReport && request.method !== 'GET' && request.method !== 'HEAD') {
      return this.refuse('method_not_allowed', request, response);
    }
    if (hasTwoHosts(request)) return this.refuse('bad_request', request, response);
    const hostname = this.ctx.shortHosts.hostnameOf(requested.host);
    if (hostname === undefined) return this.refuse('not_found', request, response);
    if (isReport) {
      return this.ctx.reportForm.handle(requested.path, { request, response, isHttps: this.isOnHttps(request) });
    }
    const wanted = { hostname, ...parseUrl(requested.path) };
    const host = hostname === null ? null : this.ctx.hosts.cache.known(hostname);
    const { path } = wanted;
    const isLink = path !== undefined && !isMiss(host);
    const target = isLink ? this.ctx.targets.cache.known(targetKey(hostname, path.shortCode)) : 'absent';
    if (host === undefined || target === undefined) void this.findAndAnswer(wanted, request, response);
    else this.answer({ host, target, wanted }, request, response);
  }

  private async findAndAnswer(
    wanted: RedirectRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const deadline = performance.now() + FIND_TIMEOUT_MS;
    const visitor = this.visitorOf(request);
    try {
      // A visitor whose address is unknown shares its places with those who want the same link.
      const found = await this.lookUps.run(visitor ?? request.url!, () => this.find(wanted, visitor, deadline));
      if (!response.destroyed) this.answer({ ...found, wanted }, request, response);
    } catch (error) {
      if (!isOutage(error) && !(error instanceof LookupFailed)) this.ctx.log.error({ err: error }, 'look-up failed');
      if (!response.headersSent) this.refuse('service_unavailable', request, response);
    }
  }

  /**
   * A visitor over the limit of misses never causes a request to the owning service, nor does a path behind a code: most
   * such paths are no links, but those of a website that the host had before.
   */
  private find(wanted: RedirectRequest, visitor: string | null, deadline: number) {
    const hasRest = wanted.path !== undefined && wanted.path.rest !== '';
    const lookUp = { deadline, asksOwner: !hasRest && (visitor === null || !this.misses.isFull(visitor)) };
    return findVisited(this.ctx, wanted, lookUp);
  }

  private visitorOf({ socket, headers }: IncomingMessage): string | null {
    return this.ctx.addresses.visitorOf(socket, headers['x-forwarded-for'] as string | undefined);
  }

  private answer(found: Found, request: IncomingMessage, response: ServerResponse): void {
    this.scheduleChecks(found);
    const now = Date.now();
    this.carryOut(decide(this.ctx, found, now), { now, request, response });
  }

  private carryOut(decision: Decision, visit: Visit): void {
    const { request, response } = visit;
    switch (decision.answer) {
      case 'refusal':
        return this.refuse(decision.refusal, request, response);
      case 'miss':
        return this.answerMiss(decision.host, visit);
      case 'file':
        return sendFile(response, decision.file, requestId(request));
      case 'redirect':
        return this.redirect(decision, visit);
      case 'fallback':
        if (request.method === 'GET') this.fallbacks.inc();
        break;
      case 'expired':
        if (request.method === 'GET') this.expired.inc();
        break;
      case 'root':
    }
    this.redirectUnrecorded({ ...decision, status: 302 }, request, response);
  }

  private scheduleChecks({ host, target }: Found): void {
    const now = performance.now();
    if (host && !isMiss(host) && now > host.checkAt) this.ctx.hosts.revalidator.scheduleCheck(host);
    if (!isMiss(target) && now > target.checkAt) this.ctx.targets.revalidator.scheduleCheck(target);
  }

  private redirect({ target, location, isIndexable, isQr }: Redirection, { now, request, response }: Visit): void {
    const { status } = target;
    if (request.method === 'HEAD') return this.redirectUnrecorded({ status, location, isIndexable }, request, response);
    const { socket, headers } = request;
    if (target.opening && target.opening.scansMax < Infinity && this.isPerson(headers))
      this.ctx.scanCounter.countScan(target);
    const address = this.ctx.addresses.addressOf(socket, headers['x-forwarded-for'] as string | undefined);
    const scan = this.scans.writeScan(now, { target, isQr, address, headers });
    const arrivedAt = arrivalOf(request);
    this.recorded.addRedirect({
      scan,
      response,
      location,
      status,
      isIndexable,
      requestId: requestId(request),
      arrivedAt,
    });
  }

  private isPerson(headers: IncomingHttpHeaders): boolean {
    return this.bots.reasonFor({ userAgent: userAgentOf(headers), isPrefetch: isPrefetch(headers) }) === null;
  }

  /** Answers a visitor of a host or a code that does not exist. */
  private answerMiss(host: HostSettings, visit: Visit): void {
    const visitor = this.visitorOf(visit.request);
    // A visitor whose address is unknown has no limit.
    if (visitor === null || this.misses.add(visitor)) this.carryOut(decideMiss(this.ctx, host), visit);
    else this.refuse('rate_limit_exceeded', visit.request, visit.response);
  }

  private redirectUnrecorded(
    redirect: { status: number; location: string; isIndexable: boolean },
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    sendRedirect(response, { ...redirect, requestId: requestId(request) });
    this.visits.add('redirect', arrivalOf(request), performance.now());
  }

  /** The owner of a custom domain decides about its browsers. */
  private isOnHttps(request: IncomingMessage): boolean {
    return this.ctx.isHttps && this.ctx.shortHosts.hostnameOf(hostAndPathOf(request).host) === null;
  }

  private refuse(refusal: Refusal, request: IncomingMessage, response: ServerResponse): void {
    this.ctx.pages.send(refusal, { request, response, isHttps: this.isOnHttps(request) });
    this.refusals.inc({ reason: refusal });
    this.visits.add(refusalOf(refusal).outcome, arrivalOf(request), performance.now());
  }
}

const requestId = (request: IncomingMessage): string =>
  requestIdOf(request.headers['x-request-id'] as string | undefined);
