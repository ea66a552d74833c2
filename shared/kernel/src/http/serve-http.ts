import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Lifecycle } from '../process/lifecycle.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';
import { listen } from '../process/ops-server.js';
import { missingHost, refuseUnreadable, tooManyHeaders, type RenderRefusal } from './unreadable.js';

const HEADERS_TIMEOUT_MS = 10_000;
/** Limits a whole request with a large body; small bodies have less time, see `readBody`. */
const REQUEST_TIMEOUT_MS = 60_000;
/** The interval between checks for overdue requests; Node's own 30 s would be added to every limit. */
const OVERDUE_CHECK_MS = 2000;
/**
 * Twice the gateway's `IDLE_TIMEOUT_MS` (proxy.ts), so that a service never closes a connection that the gateway is about
 * to use.
 */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Longer than any answer takes for its first or next byte: if no data moves for this long, the client is stalled. */
const STALLED_TIMEOUT_MS = 120_000;
const DRAIN_TIMEOUT_MS = 15_000;
const CLOSED_LOG_EVERY_MS = 10_000;

export interface HeaderLimits {
  /** Bytes of the request line and all headers together. */
  bytesMax: number;
  countMax: number;
}
/** For a server that clients reach. */
export const EDGE_HEADERS: HeaderLimits = { bytesMax: 16 * 1024, countMax: 100 };
/** For a server behind the gateway, which adds headers of its own. */
const INNER_HEADERS: HeaderLimits = { bytesMax: 32 * 1024, countMax: 200 };

export interface ServeOptions {
  config: {
    HOST: string;
    PORT: number;
    /** Further connections are closed at once. */
    CONNECTIONS_MAX: number;
  };
  lifecycle: Lifecycle;
  log: Log;
  /** Counts the connections beyond the limit. */
  metrics?: Metrics;
  headers?: HeaderLimits;
  /** Renders the answer to a request that cannot be read; as JSON unless given. */
  renderRefusal?: RenderRefusal;
  /** Closes a connection on which no data moves for this long while an answer is due. */
  stalledTimeoutMs?: number;
}

/** Serves until the lifecycle stops: then it takes no new connection and answers the requests in flight. */
export async function serveHttp(handler: RequestListener, options: ServeOptions): Promise<Server> {
  const { config, lifecycle, headers = INNER_HEADERS, stalledTimeoutMs = STALLED_TIMEOUT_MS } = options;
  const limits = {
    connectionsCheckingInterval: OVERDUE_CHECK_MS,
    maxHeaderSize: headers.bytesMax,
    // Node's own answer to a request without a host has no body.
    requireHostHeader: false,
  };
  const server = createServer(limits, (request, response) => {
    if (headerCount(request) > headers.countMax) server.emit('clientError', tooManyHeaders(request), request.socket);
    else if (isHostMissing(request)) server.emit('clientError', missingHost(request), request.socket);
    else handler(request, response);
  });
  // Node silently drops further headers: one more than allowed shows that there are too many.
  server.maxHeadersCount = headers.countMax + 1;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.timeout = stalledTimeoutMs;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.maxConnections = config.CONNECTIONS_MAX;
  reportRefused(server, options);
  refuseUnreadable(server, options.renderRefusal);
  await listen(server, config.HOST, config.PORT);
  lifecycle.onStop('http', () => drain(server));
  return server;
}

/** RFC 9112, 3.2 */
const isHostMissing = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headers.host === undefined;

const headerCount = ({ rawHeaders }: IncomingMessage): number => rawHeaders.length / 2;

function reportRefused(server: Server, { config, log, metrics }: ServeOptions): void {
  const logClosed = closedLog(log, config.CONNECTIONS_MAX);
  server.on('drop', () => {
    metrics?.connectionsRefused.inc();
    logClosed();
  });
}

/** Returns a function that counts connections which are closed since too many are open, for one line in a while. */
function closedLog(log: Log, connectionsMax: number): () => void {
  let closed = 0;
  return () => {
    closed += 1;
    if (closed > 1) return;
    setTimeout(() => {
      log.warn({ closed, connections_max: connectionsMax }, 'connections beyond CONNECTIONS_MAX were closed');
      closed = 0;
    }, CLOSED_LOG_EVERY_MS).unref();
  };
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(deadline);
      resolve();
    });
  });
}
