import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { hadBrought, KeptConnectionEnded } from './kept-connection.js';

/** The client reads this much of a body, so that it can reuse the connection; the status counts in either case. */
const ANSWER_BYTES_MAX = 8192;
const ANSWER_WAIT_MS = 1000;
const STATUS_MIN = 200;

/** No answer within the time limit, which starts before the DNS look-up. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface Answer {
  statusCode: number;
  headers: IncomingHttpHeaders;
  answeredAt: number;
  /** The part of the body that arrived within the limits. */
  beginning: Buffer[];
}

/**
 * Sends a request and returns the answer with the beginning of its body. Uses the interface beneath undici's `request`,
 * whose stream, signal and listeners cost as much per answer as the sending.
 */
export function exchange(agent: Dispatcher, request: Dispatcher.DispatchOptions, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => agent.dispatch(request, new Exchange(timeoutMs, resolve, reject)));
}

class Exchange implements Dispatcher.DispatchHandler {
  private controller?: Dispatcher.DispatchController;
  private timer: NodeJS.Timeout;
  private answer?: Answer;
  private length = 0;
  private hasBegun = false;
  private isOver = false;

  constructor(
    timeoutMs: number,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => this.breakOff(new NoAnswer()), timeoutMs);
  }

  /** The connection is established. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(new NoAnswer());
  }

  /** Called at the first bytes of any answer, including an interim one (1xx). */
  onResponseStarted(): void {
    this.hasBegun = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < STATUS_MIN) return;
    this.answer = { statusCode, headers, answeredAt: Date.now(), beginning: [] };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.breakOff(), ANSWER_WAIT_MS);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.answer?.beginning.push(chunk);
    this.length += chunk.length;
    if (this.length >= ANSWER_BYTES_MAX) this.breakOff();
  }

  onResponseEnd(): void {
    if (this.answer) this.end();
    else this.breakOff();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(!this.hasBegun && hadBrought(error) ? new KeptConnectionEnded(undefined, { cause: error }) : error);
  }

  private breakOff(error = new Error('no more is read')): void {
    this.end(error);
    this.controller?.abort(error);
  }

  /** Ends the exchange. An answer that has a status succeeds, however its body ends. */
  private end(error?: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.answer) this.resolve(this.answer);
    else this.reject(error!);
  }
}
