import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOutage } from '@waymark/kernel/errors';
import { hasBody } from '@waymark/kernel/http/read-body';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { requestIdOf } from '@waymark/kernel/process/request-context';
import type { DestinationBlocks } from '../blocks/destination-blocks.js';
import type { Host, HostRecord } from '../hosts/host.js';
import { LookupFailed } from '../read-model/finder.js';
import type { ReadModel } from '../read-model/read-model.js';
import type { Miss } from '../read-model/record-cache.js';
import type { Spool } from '../spool/spool.js';
import { targetKey, type TargetRecord } from '../targets/target-record.js';
import type { RedirectTarget } from '../targets/target.js';
import type { LinkAddress } from '../targets/target-model.js';
import { locationFor } from '../destinations/destination.js';
import { NetworkBuckets } from '@waymark/kernel/limits/network-buckets';
import { hasTwoHosts, hostAndPathOf, parseUrl, type ParsedUrl } from './parse-url.js';
import { RecordedRedirects, sendRedirect } from './recorded-redirects.js';
import { outcomeOf, sendRefusal, type Refusal } from './refusals.js';
import { ScanWriter } from './scan-writer.js';
import type { ShortHosts } from './short-hosts.js';
import { arrivalOf, VisitTimes } from './visit-times.js';
import type { VisitorAddress } from './visitor-address.js';
import type { WorkspaceStates } from '../workspaces/workspace-states.js';

/** Bounds how long a visitor waits for a look-up. */
const FIND_TIMEOUT_MS = 240;
/** One visitor gets at most `perKey` of the `total` look-ups: the rest is for other visitors. */
const LOOKUPS = { total: 500, perKey: 32, waitMaxMs: FIND_TIMEOUT_MS };

export interface HandlerContext {
  shortHosts: ShortHosts;
  /** Whether the default short host is served by https. */
  isHttps: boolean;
  addresses: VisitorAddress;
  hosts: ReadModel<HostRecord, Host, string>;
  targets: ReadModel<TargetRecord, RedirectTarget, LinkAddress>;
  workspaces: Pick<WorkspaceStates, 'refusalFor'>;
  blocks: Pick<DestinationBlocks, 'includes'>;
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
  host: Host | Miss | null;
  target: RedirectTarget | Miss;
  wanted: RedirectRequest;
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

  constructor(private readonly ctx: HandlerContext) {
    this.visits = new VisitTimes(ctx.metrics);
    this.recorded = new RecordedRedirects(ctx.spool, ctx.metrics, this.visits);
    this.misses = new NetworkBuckets(ctx.missesPerMinute);
    this.refusals = ctx.metrics.counter('refusals_total', 'Visits that ended in no redirect', ['reason']);
    this.fallbacks = ctx.metrics.counter('fallbacks_total', 'Visits that were sent to the not_found_url of their host');
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    // No body is read: the connection of a visit that has one ends with the answer.
    if (this.ctx.lifecycle.isStopping || hasBody(request)) response.shouldKeepAlive = false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return this.refuse('method_not_allowed', request, response);
    }
    if (hasTwoHosts(request)) return this.refuse('bad_request', request, response);
    const requested = hostAndPathOf(request);
    const hostname = this.ctx.shortHosts.hostnameOf(requested.host);
    if (hostname === undefined) return this.refuse('not_found', request, response);
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

  /** A visitor over the limit of misses never causes a request to the owning service. */
  private async find({ hostname, path }: RedirectRequest, visitor: string | null, deadline: number) {
    const { hosts, targets } = this.ctx;
    const lookUp = { deadline, asksOwner: visitor === null || !this.misses.isFull(visitor) };
    const host = hostname === null ? null : await hosts.finder.findEntry(hostname, lookUp);
    const isLink = path !== undefined && !isMiss(host);
    const target = isLink ? await targets.finder.findEntry({ hostname, shortCode: path.shortCode }, lookUp) : 'absent';
    return { host, target };
  }

  private visitorOf({ socket, headers }: IncomingMessage): string | null {
    return this.ctx.addresses.visitorOf(socket, headers['x-forwarded-for'] as string | undefined);
  }

  private answer({ host, target, wanted }: Found, request: IncomingMessage, response: ServerResponse): void {
    if (host === 'gone') return this.refuse('erased', request, response);
    if (host === 'absent') return this.answerMiss(null, request, response);
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
    if (this.isBlocked(target)) return this.refuse('blocked', request, response);
    if (target.isArchived) return this.refuse('gone', request, response);
    if (!target.destination) return this.sendToFallback(host, request, response);
    const { location, qr } = locationFor(target.destination, wanted.query);
    if (request.method === 'HEAD') return this.redirectUnrecorded(location, request, response);
    const { socket, headers } = request;
    const address = this.ctx.addresses.addressOf(socket, headers['x-forwarded-for'] as string | undefined);
    const isQr = qr || wanted.path.isQr;
    const scan = this.scans.writeScan(Date.now(), { target, isQr, address, headers });
    const arrivedAt = arrivalOf(request);
    this.recorded.addRedirect({ scan, response, location, requestId: requestId(request), arrivedAt });
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
    if (this.ctx.blocks.includes(host.fallback)) return this.refuse('blocked', request, response);
    this.redirectUnrecorded(host.fallback, request, response);
    if (request.method === 'GET') this.fallbacks.inc();
  }

  private isBlocked({ isBlocked, destination }: RedirectTarget): boolean {
    return isBlocked || (destination !== null && this.ctx.blocks.includes(destination.location));
  }

  private redirectUnrecorded(location: string, request: IncomingMessage, response: ServerResponse): void {
    sendRedirect(response, location, requestId(request));
    this.visits.add('redirect', arrivalOf(request), performance.now());
  }

  /** The owner of a custom domain decides about its browsers. */
  private isOnHttps(request: IncomingMessage): boolean {
    return this.ctx.isHttps && this.ctx.shortHosts.hostnameOf(hostAndPathOf(request).host) === null;
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

const requestId = (request: IncomingMessage): string =>
  requestIdOf(request.headers['x-request-id'] as string | undefined);
