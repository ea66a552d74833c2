import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { requestIdOf } from '@waymark/kernel/process/request-context';
import type { Host, HostRecord } from '../hosts/host.js';
import { TooManyLookups, LookupFailed } from '../read-model/finder.js';
import type { ReadModel } from '../read-model/read-model.js';
import type { Miss } from '../read-model/record-cache.js';
import type { Spool } from '../spool/spool.js';
import { targetKey, type TargetRecord } from '../targets/target-record.js';
import type { RedirectTarget } from '../targets/target.js';
import type { LinkAddress } from '../targets/target-model.js';
import { locationFor } from '../destinations/destination.js';
import { MissLimiter } from './miss-limiter.js';
import { parseUrl, type ParsedUrl } from './parse-url.js';
import { RecordedRedirects, sendRedirect } from './recorded-redirects.js';
import { outcomeOf, sendRefusal, type Refusal } from './refusals.js';
import { ScanWriter } from './scan-writer.js';
import type { ShortHosts } from './short-hosts.js';
import { arrivalOf, VisitTimes } from './visit-times.js';
import type { VisitorAddress } from './visitor-address.js';
import type { WorkspaceStates } from '../workspaces/workspace-states.js';

/** Bounds how long a visitor waits for a look-up. */
const FIND_TIMEOUT_MS = 240;

export interface HandlerContext {
  shortHosts: ShortHosts;
  /** Whether the default short host is served by https. */
  isHttps: boolean;
  addresses: VisitorAddress;
  hosts: ReadModel<HostRecord, Host, string>;
  targets: ReadModel<TargetRecord, RedirectTarget, LinkAddress>;
  workspaces: Pick<WorkspaceStates, 'refusalFor'>;
  spool: Spool;
  missesPerMinute: number;
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

interface RedirectRequest extends ParsedUrl {
  /** `null` for the default short host. */
  hostname: string | null;
}

interface Found {
  /** `null` for the default short host. */
  host: Host | null;
  target: RedirectTarget | Miss;
  wanted: RedirectRequest;
}

/**
 * Answers visitors. A code in memory is answered in the turn of the event loop in which the visit came, without
 * waiting; the scan is on disk before the answer leaves.
 */
export class RedirectHandler {
  private readonly scans = new ScanWriter();
  /**
   * Counts each visitor's requests for codes that do not exist. Each guess costs a look-up, so guessers get a 429;
   * visits of links are not counted. A code that the filter does not contain counts before its look-up, and no longer
   * once the look-up has succeeded: look-ups that fail would otherwise never reach the limit.
   */
  private readonly misses;
  private readonly visits;
  private readonly redirects;
  private readonly refusals;
  private readonly fallbacks;

  constructor(private readonly ctx: HandlerContext) {
    this.visits = new VisitTimes(ctx.metrics);
    this.redirects = new RecordedRedirects(ctx.spool, ctx.metrics, this.visits);
    this.misses = new MissLimiter(ctx.missesPerMinute);
    this.refusals = ctx.metrics.counter('refusals_total', 'Visits that ended in no redirect', ['reason']);
    this.fallbacks = ctx.metrics.counter('fallbacks_total', 'Visits that were sent to the not_found_url of their host');
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.ctx.lifecycle.isStopping || hasBody(request)) response.shouldKeepAlive = false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return this.refuse('method_not_allowed', request, response);
    }
    if (hasTwoHosts(request)) return this.refuse('bad_request', request, response);
    const address = addressOf(request);
    const hostname = this.ctx.shortHosts.hostnameOf(address.host);
    if (hostname === undefined) return this.refuse('not_found', request, response);
    const wanted = { hostname, ...parseUrl(address.path) };
    const host = hostname === null ? null : this.ctx.hosts.cache.known(hostname);
    if (isMiss(host)) return this.answerHostMiss(host, request, response);
    const target = wanted.path ? this.ctx.targets.cache.known(targetKey(hostname, wanted.path.shortCode)) : 'absent';
    if (host === undefined || target === undefined) void this.findAndAnswer(wanted, request, response);
    else this.answer({ host, target, wanted }, request, response);
  }

  private async findAndAnswer(
    wanted: RedirectRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { hosts, targets, log } = this.ctx;
    const { hostname, path } = wanted;
    const deadline = performance.now() + FIND_TIMEOUT_MS;
    const visitor = this.visitorOf(request);
    const isGuess = visitor !== null && !this.isBeingFound(wanted) && !this.isKnown(wanted);
    const isCounted = isGuess && this.misses.add(visitor);
    const isGuessing = isGuess && !isCounted;
    if (isGuessing && !this.mayExist(wanted)) return this.refuse('rate_limit_exceeded', request, response);
    const lookupVisitor = { address: visitor, isGuessing };
    try {
      const host = hostname === null ? null : await hosts.finder.findEntry(hostname, deadline, lookupVisitor);
      const place = !isMiss(host) && path && { hostname, shortCode: path.shortCode };
      const target = place ? await targets.finder.findEntry(place, deadline, lookupVisitor) : 'absent';
      // A link that the filter does not know, or a miss, which counts when it is answered.
      if (isCounted && !(response.destroyed && isMiss(target))) this.misses.remove(visitor);
      if (response.destroyed) return;
      if (isMiss(host)) this.answerHostMiss(host, request, response);
      else this.answer({ host, target, wanted }, request, response);
    } catch (error) {
      if (error instanceof TooManyLookups) {
        // Nothing was looked up.
        if (isCounted) this.misses.remove(visitor);
        return this.refuse('too_many_lookups', request, response);
      }
      if (!(error instanceof LookupFailed)) log.error({ err: error }, 'look-up failed');
      if (!response.headersSent) this.refuse('service_unavailable', request, response);
    }
  }

  /** True if another request has begun the look-up that this one needs. */
  private isBeingFound({ hostname, path }: RedirectRequest): boolean {
    const { hosts, targets } = this.ctx;
    if (hostname !== null && hosts.finder.isFinding(hostname)) return true;
    return path !== undefined && targets.finder.isFinding({ hostname, shortCode: path.shortCode });
  }

  /** False if the filters rule out, without a look-up, that the visitor finds anything. */
  private mayExist({ hostname, path }: RedirectRequest): boolean {
    const { hosts, targets } = this.ctx;
    if (hostname !== null && !hosts.keys.mayExist(hostname)) return false;
    return path === undefined || targets.keys.mayExist(targetKey(hostname, path.shortCode));
  }

  /** True if the filters contain what the visitor wants, although changes may be missed. */
  private isKnown({ hostname, path }: RedirectRequest): boolean {
    const { hosts, targets } = this.ctx;
    if (hostname !== null && !hosts.keys.isKnown(hostname)) return false;
    return path === undefined || targets.keys.isKnown(targetKey(hostname, path.shortCode));
  }

  private visitorOf({ socket, headers }: IncomingMessage): string | null {
    return this.ctx.addresses.visitorOf(socket, headers['x-forwarded-for'] as string | undefined);
  }

  private answer({ host, target, wanted }: Found, request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.ctx.workspaces.refusalFor(ownerOf(host, target));
    if (refusal) return this.refuse(refusal, request, response);
    const now = performance.now();
    if (host && now > host.checkAt) this.ctx.hosts.revalidator.scheduleCheck(host);
    // Not the path of a link: nothing was looked up, and there is nothing to guess.
    if (!wanted.path) return this.sendToFallback(host, request, response);
    if (target === 'gone') return this.refuse('erased', request, response);
    // Another workspace now owns the host: the link is absent there until its own change arrives.
    if (target === 'absent' || (host && host.workspace !== target.workspace)) {
      return this.answerMiss(host, request, response);
    }
    if (now > target.checkAt) this.ctx.targets.revalidator.scheduleCheck(target);
    if (target.isArchived) return this.refuse('gone', request, response);
    if (!target.destination) return this.sendToFallback(host, request, response);
    const { location, qr } = locationFor(target.destination, wanted.query);
    if (request.method === 'HEAD') return this.redirectUnrecorded(location, request, response);
    const address = this.ctx.addresses.of(request.socket, request.headers['x-forwarded-for'] as string | undefined);
    const isQr = qr || wanted.path.isQr;
    const scan = this.scans.writeScan(Date.now(), { target, isQr, address, headers: request.headers });
    const arrivedAt = arrivalOf(request);
    this.redirects.addRedirect({ scan, response, location, requestId: requestId(request), arrivedAt });
  }

  private answerHostMiss(miss: Miss, request: IncomingMessage, response: ServerResponse): void {
    if (miss === 'gone') this.refuse('erased', request, response);
    else this.answerMiss(null, request, response);
  }

  /** Answers a visitor of a host or a code that does not exist. */
  private answerMiss(host: Host | null, request: IncomingMessage, response: ServerResponse): void {
    const visitor = this.visitorOf(request);
    // A visitor whose address is unknown has no limit.
    if (visitor === null || this.misses.add(visitor)) this.sendToFallback(host, request, response);
    else this.refuse('rate_limit_exceeded', request, response);
  }

  private sendToFallback(host: Host | null, request: IncomingMessage, response: ServerResponse): void {
    if (!host?.fallback) return this.refuse('not_found', request, response);
    this.redirectUnrecorded(host.fallback, request, response);
    if (request.method === 'GET') this.fallbacks.inc();
  }

  private redirectUnrecorded(location: string, request: IncomingMessage, response: ServerResponse): void {
    sendRedirect(response, location, requestId(request));
    this.visits.add('redirect', arrivalOf(request), performance.now());
  }

  /** The owner of a custom domain decides about its browsers. */
  private isOnHttps(request: IncomingMessage): boolean {
    return this.ctx.isHttps && this.ctx.shortHosts.hostnameOf(addressOf(request).host) === null;
  }

  private refuse(refusal: Refusal, request: IncomingMessage, response: ServerResponse): void {
    sendRefusal(refusal, { request, response, isHttps: this.isOnHttps(request) });
    this.refusals.inc({ reason: refusal });
    this.visits.add(outcomeOf(refusal), arrivalOf(request), performance.now());
  }
}

/** `undefined` where there is nothing. */
const ownerOf = (host: Host | null, target: RedirectTarget | Miss): string | undefined =>
  host?.workspace ?? (isMiss(target) ? undefined : target.workspace);

const isMiss = (found: object | Miss | null | undefined): found is Miss => typeof found === 'string';

/** The server does not read the body of a GET, so the connection ends with the answer. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** A proxy in front may have used the other one as the host (RFC 9112, 3.2). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/** The host of a target in absolute form counts, not the header's (RFC 9112, 3.2.2). */
function addressOf({ url, headers }: IncomingMessage): { host: string | undefined; path: string } {
  const absolute = ABSOLUTE_FORM.exec(url!);
  if (!absolute) return { host: headers.host, path: url! };
  const path = url!.slice(absolute[0].length);
  return { host: absolute[1], path: path.startsWith('/') ? path : `/${path}` };
}

const requestId = (request: IncomingMessage): string =>
  requestIdOf(request.headers['x-request-id'] as string | undefined);
