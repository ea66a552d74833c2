import { createServer, type Server } from 'node:http';
import type { Lifecycle } from './lifecycle.js';
import type { Metrics } from './metrics.js';

export type ReadinessCheck = () => boolean;

/** Probes, a scraper, an operator: each with a connection or two. */
const CONNECTIONS_MAX = 64;
const REQUEST_TIMEOUT_MS = 10_000;
/** What the process does besides answering requests ends or progresses within seconds: this long, only a restart helps. */
const STUCK_AFTER_SECONDS = 600;

/**
 * `/healthz` (alive, and no work is stuck), `/readyz` (named dependencies) and `/metrics`, on a separate port for operators only. Serve nothing
 * else there: callers whose number visitors decide could take the connections of the probes.
 */
export async function startOpsServer(options: {
  host: string;
  port: number;
  metrics: Metrics;
  lifecycle: Lifecycle;
  checks: Record<string, ReadinessCheck>;
  stuckAfterSeconds?: number;
}): Promise<Server> {
  const { metrics, lifecycle, checks, stuckAfterSeconds = STUCK_AFTER_SECONDS } = options;
  metrics.showRunningWork(lifecycle.work);
  const failures = metrics.counter('background_failures_total', 'Failed rounds of background work, without outages', [
    'work',
  ]);
  lifecycle.onWorkFailed((work) => failures.inc({ work }));
  const server = createServer((request, response) => {
    const send = (status: number, body: string, type = 'application/json') =>
      response.writeHead(status, { 'Content-Type': type }).end(body);

    if (request.url === '/healthz') {
      const stuck = [...lifecycle.work.longestSeconds].filter(([, seconds]) => seconds > stuckAfterSeconds);
      if (stuck.length === 0) return void send(200, '{"status":"ok"}');
      return void send(503, JSON.stringify({ status: 'stuck', work: stuck.map(([work]) => work) }));
    }
    if (request.url === '/readyz') {
      const failing = Object.keys(checks).filter((name) => !checks[name]!());
      if (lifecycle.isStopping) failing.push('stopping');
      return void send(failing.length === 0 ? 200 : 503, JSON.stringify({ ready: failing.length === 0, failing }));
    }
    if (request.url === '/metrics') {
      return void metrics.registry.metrics().then(
        (text) => send(200, text, metrics.registry.contentType),
        () => send(500, ''),
      );
    }
    send(404, '{}');
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await listen(server, options.host, options.port);
  lifecycle.onStop('ops server', () => void server.close());
  return server;
}

/** Rejects with one clear line when the port is taken. */
export function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} on ${host} is taken`) : error);
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}
