import { pino, type Logger } from 'pino';
import { currentContext } from './request-context.js';

export type Log = Logger;

const SECRETS = ['authorization', 'cookie', 'password', 'token', 'secret', 'plaintext_token', 'signing_secret'];

/** JSON lines on stdout; each carries the request it belongs to. ERROR means that a human must act. */
export function createLog(service: string, level: string): Log {
  return pino({
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const context = currentContext();
      return context ? { request_id: context.requestId, trace_id: context.traceparent.slice(3, 35) } : {};
    },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  });
}
