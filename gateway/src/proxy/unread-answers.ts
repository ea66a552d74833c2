import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { callerName } from './budget-owners.js';

/** Memory of an answer besides its body. */
const OVERHEAD_BYTES = 16 * 1024;
/** The buffers between a service and a client; the rest of a longer answer waits in the service. */
const BUFFERED_MAX = 128 * 1024;

export interface UnreadLimits {
  UNREAD_BYTES_MAX: number;
  READING_TIMEOUT_MS: number;
}

/** Refers to the socket, not to the response: a set that lives long would keep the responses that it no longer has. */
interface UnreadAnswer {
  caller: string;
  bytes: number;
  socket: Socket;
  timeout?: NodeJS.Timeout;
  isDone: boolean;
}

interface Caller {
  bytes: number;
  /** Oldest first. */
  answers: Set<UnreadAnswer>;
}

/**
 * Limits the memory and the time that answers take until their clients have read them. A permit does not: the service has
 * answered, so its request is no longer in flight. When the memory is full, the caller with the most bytes loses the
 * connection of its oldest answer, so that slow clients of other callers keep theirs.
 */
export class UnreadAnswers {
  private bytes = 0;
  private readonly callers = new Map<string, Caller>();
  private readonly cutConnections;

  constructor(
    private readonly limits: UnreadLimits,
    metrics: Metrics,
  ) {
    metrics.gauge('unread_answer_bytes', 'Memory of answers that clients have not read', () => this.bytes);
    this.cutConnections = metrics.counter(
      'unread_answers_cut_total',
      'Connections closed because the client did not read its answer',
      ['reason'],
    );
  }

  /** Counts an answer until `release`: call it when the response closes. */
  add(answer: IncomingMessage, response: Response): void {
    // No later event would release the memory.
    if (response.destroyed) return;
    const length = Number(answer.headers['content-length'] ?? BUFFERED_MAX);
    const bytes = OVERHEAD_BYTES + Math.min(length, BUFFERED_MAX);
    const unread: UnreadAnswer = { caller: callerName(response), bytes, socket: response.req.socket, isDone: false };
    response.locals['unread'] = unread;
    this.bytes += bytes;
    const caller = this.callers.get(unread.caller) ?? { bytes: 0, answers: new Set() };
    caller.bytes += bytes;
    caller.answers.add(unread);
    this.callers.set(unread.caller, caller);
    while (this.bytes > this.limits.UNREAD_BYTES_MAX) this.cutOldest(this.largestCaller());
  }

  /** Limits the time to read the rest of an answer, which is complete in this process. */
  limitTime(response: Response): void {
    const unread = unreadOf(response);
    if (!unread || unread.isDone || response.writableFinished) return;
    unread.timeout = setTimeout(() => this.cut(unread, 'time'), this.limits.READING_TIMEOUT_MS);
  }

  release(response: Response): void {
    const unread = unreadOf(response);
    if (unread) this.remove(unread);
  }

  private largestCaller(): Caller {
    return [...this.callers.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
  }

  private cutOldest({ answers }: Caller): void {
    const [oldest] = answers;
    this.cut(oldest!, 'memory');
  }

  private cut(unread: UnreadAnswer, reason: 'memory' | 'time'): void {
    this.remove(unread);
    if (unread.socket.destroyed) return;
    this.cutConnections.inc({ reason });
    unread.socket.destroy();
  }

  private remove(unread: UnreadAnswer): void {
    if (unread.isDone) return;
    unread.isDone = true;
    clearTimeout(unread.timeout);
    this.bytes -= unread.bytes;
    const caller = this.callers.get(unread.caller)!;
    caller.bytes -= unread.bytes;
    caller.answers.delete(unread);
    if (caller.answers.size === 0) this.callers.delete(unread.caller);
  }
}

const unreadOf = (response: Response): UnreadAnswer | undefined =>
  response.locals['unread'] as UnreadAnswer | undefined;
