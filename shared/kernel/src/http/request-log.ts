import type { RequestHandler, Response } from 'express';
import { redactCredentials } from '../process/redact-credentials.js';
import { newContext, runInContext } from '../process/request-context.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';

/** A longer path is that of no route: a client must not fill the log with it. */
const TEXT_MAX = 512;

const LISTENERS_MAX = 20;

/** Gives each request its context, echoes its id, and at its end writes one line and one measurement, and calls `onEnd`. */
export function requestLog(log: Log, metrics: Metrics, onEnd?: (response: Response) => void): RequestHandler {
  const durations = metrics.histogram('http_request_duration_seconds', 'Time to the last byte', [
    'method',
    'route',
    'status',
  ]);
  return (request, response, next) => {
    const context = newContext(request.get('x-request-id'), request.get('traceparent'));
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', context.requestId);
    // Each part of the way notes the end of the response once: more listeners than Node.js takes for normal.
    response.setMaxListeners(LISTENERS_MAX);
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = (response.locals['route'] as string | undefined) ?? 'unmatched';
      // A client that disconnects before its answer begins gets no status.
      const status = response.headersSent ? response.statusCode : null;
      durations.observe({ method: request.method, route, status: String(status ?? 'none') }, durationMs / 1000);
      const line = {
        method: request.method,
        path: beginningOf(redactCredentials(request.originalUrl.split('?', 1)[0]!)),
        route,
        status,
        duration_ms: Math.round(durationMs * 10) / 10,
        workspace: beginningOf(response.locals['workspace'] as string | undefined),
        aborted: response.writableFinished ? undefined : true,
        request_id: context.requestId,
        trace_id: context.traceparent.slice(3, 35),
      };
      log[status === null || status >= 500 ? 'warn' : 'info'](line, 'request');
      onEnd?.(response);
    });
    runInContext(context, next);
  };
}

const beginningOf = <T extends string | undefined>(text: T) => text?.slice(0, TEXT_MAX);
