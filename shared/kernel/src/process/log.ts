import { pino, type Logger, type LoggerOptions } from 'pino';
import { describeError } from './describe-error.js';
import { currentContext } from './request-context.js';

export type Log = Logger;

const SECRETS = ['authorization', 'cookie', 'password', 'token', 'secret', 'plaintext_token', 'signing_secret'];

/** Lines that wait for a reader of stdout: a collector that restarts reads again within seconds. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** The process's stdout, from its first log on. */
let stdout: ReturnType<typeof openStdout> | undefined;
const dropListeners: (() => void)[] = [];

/** Calls the listener for each line that is dropped because stdout takes no more. */
export function onLineDropped(listener: () => void): void {
  dropListeners.push(listener);
}

/** Calls back with `true` once stdout has all lines or is closed, with `false` once it has taken none for `stalledMs`. */
export function flushLog(stalledMs: number, done: (isFlushed: boolean) => void): void {
  if (!stdout || stdout.isClosed) return done(true);
  const { destination } = stdout;
  const stalled = setTimeout(() => done(false), stalledMs);
  stdout.onClosed = () => done(true);
  destination.on('write', () => stalled.refresh());
  destination.once('drain', () => done(true));
  // An empty write ends with `drain` even when no line waits.
  destination.write('');
}

function openStdout() {
  const destination = pino.destination({ sync: false, maxLength: WAITING_BYTES_MAX });
  const opened = {
    destination,
    isClosed: false,
    onClosed: () => {},
    // Without the `flushSync` of the destination, in which a fatal line would block until stdout takes it.
    stream: { write: (line: string) => void destination.write(line) },
  };
  destination.on('drop', () => dropListeners.forEach((listener) => listener()));
  // A failed write, e.g. on a full disk, must not end the process: the line waits for the next one.
  destination.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') return;
    opened.isClosed = true;
    opened.onClosed();
  });
  return opened;
}

/** JSON lines on stdout; each carries the request it belongs to. ERROR means that a human must act. */
export function createLog(service: string, level: string): Log {
  stdout ??= openStdout();
  const options: LoggerOptions = {
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const context = currentContext();
      return context ? { request_id: context.requestId, trace_id: context.traceparent.slice(3, 35) } : {};
    },
    serializers: { err: describeError },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  };
  return pino(options, stdout.stream);
}
