import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { hadBrought, KeptConnectionEnded } from './kept-connection.js';

/** This much of an answer is read, so that the connection can be used again; its status counts whatever follows. */
const ANSWER_BYTES_MAX = 8192;
const ANSWER_WAIT_MS = 1000;
const STATUS_MIN = 200;

/** No answer within the time limit, which stands over all from the look-up of the name on. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface Answer {
  statusCode: number;
  headers: IncomingHttpHeaders;
  answeredAt: number;
  /** What came of the body within the limits. */
  beginning: Buffer[];
}

/**
 * Sends a request and takes what comes of the answer. By the interface beneath undici's `request`: its stream, signal and
 * listeners for each answer cost as much as the sending.
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

  /** The connection is made. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(new NoAnswer());
  }

  /** The first bytes of any answer, whatever they say. */
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

  /** How an answer ends is the receiver's affair: once it has a status, that counts. */
  private end(error?: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.answer) this.resolve(this.answer);
    else this.reject(error!);
  }
}
