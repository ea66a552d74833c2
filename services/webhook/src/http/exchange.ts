import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { SocketFailure } from './connector.js';

/** The client reads this much of a body, so that it can reuse the connection; the status counts in either case. */
const BODY_BYTES_MAX = 8192;
const BODY_WAIT_MS = 1000;
const STATUS_MIN = 200;
/** The message of undici when the receiver has closed the connection; otherwise a write or a read fails. */
const CLOSED = 'other side closed';
const RESET = new Set<unknown>(['ECONNRESET', 'EPIPE']);

/** There was no response within the time limit, which starts before the DNS lookup. */
export class ResponseTimeout extends Error {
  override readonly name = 'ResponseTimeout';
}

/** A reused connection was closed before it delivered any byte of this response. */
export class ReusedConnectionClosed extends Error {
  override readonly name = 'ReusedConnectionClosed';
  readonly code = 'ECONNRESET';
}

export interface PartialResponse {
  statusCode: number;
  headers: IncomingHttpHeaders;
  respondedAt: number;
  /** The part of the body that arrived within the limits. */
  bodyStart: Buffer[];
}

/**
 * Sends a request and returns the response with the beginning of its body. Uses the interface beneath undici's `request`,
 * whose stream, signal and listeners cost as much per response as the sending.
 */
export function exchange(
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<PartialResponse> {
  return new Promise((resolve, reject) => agent.dispatch(request, new Exchange(timeoutMs, resolve, reject)));
}

class Exchange implements Dispatcher.DispatchHandler {
  private controller?: Dispatcher.DispatchController;
  private timer: NodeJS.Timeout;
  private response?: PartialResponse;
  private length = 0;
  private hasResponseBytes = false;
  private isOver = false;

  constructor(
    timeoutMs: number,
    private readonly resolve: (response: PartialResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => this.abort(new ResponseTimeout()), timeoutMs);
  }

  /** The connection is established. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(new ResponseTimeout());
  }

  /** Called at the first bytes of any response, including an interim one (1xx). */
  onResponseStarted(): void {
    this.hasResponseBytes = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < STATUS_MIN) return;
    this.response = { statusCode, headers, respondedAt: Date.now(), bodyStart: [] };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.abort(), BODY_WAIT_MS);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.response?.bodyStart.push(chunk);
    this.length += chunk.length;
    if (this.length >= BODY_BYTES_MAX) this.abort();
  }

  onResponseEnd(): void {
    if (this.response) this.end();
    else this.abort();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(
      !this.hasResponseBytes && hasReadBytes(error) ? new ReusedConnectionClosed(undefined, { cause: error }) : error,
    );
  }

  private abort(error = new Error('the rest of the body is not read')): void {
    this.end(error);
    this.controller?.abort(error);
  }

  /** Ends the exchange. A response with a status succeeds, however its body ends. */
  private end(error?: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.response) this.resolve(this.response);
    else this.reject(error!);
  }
}

/**
 * True if the connection was closed after it had delivered bytes; if none belongs to this response, an earlier one had
 * them. A receiver can close a kept connection at any time, also while the next request is on its way.
 */
function hasReadBytes(error: unknown): boolean {
  const { code, message, socket } = error as SocketFailure;
  return (RESET.has(code) || message === CLOSED) && (socket?.bytesRead ?? 0) > 0;
}
