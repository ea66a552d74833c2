import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that are handled in one turn of the event loop. */
const PER_TURN_MAX = 4;
/** Answers of one connection that the operating system has not taken over. */
const UNANSWERED_MAX = 4;

interface Pipeline {
  turn: number;
  requestsInTurn: number;
  /**
   * An array, since a set that lives long would keep the responses that it no longer has: V8 replaces its table every few
   * additions, and each table that a minor garbage collection has promoted holds the next one and its responses.
   */
  unanswered: ServerResponse[];
  /** When it was opened, or its last answer was complete, by `performance.now()`. */
  lastUsedAt: number;
}

/**
 * Bounds the requests that one connection sends without waiting for the answers: one read can hold thousands, which
 * would fill a turn of the event loop, and a client that does not read would make the server keep all answers. Browsers
 * and proxies send one request at a time.
 */
export class PipelineLimit {
  private turn = 0;
  private isTurnEnding = false;
  private readonly pipelines = new WeakMap<Socket, Pipeline>();

  /** Closes the connection when the request exceeds a limit. @returns whether the request is to be handled */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // Node parses the rest of a read even after its connection was destroyed, or ended by a refusal.
    if (socket.destroyed || socket.writableEnded) return false;
    const pipeline = this.pipelines.get(socket) ?? this.open(socket);
    this.countInTurn(pipeline);
    if (pipeline.requestsInTurn > PER_TURN_MAX || pipeline.unanswered.length >= UNANSWERED_MAX) {
      socket.destroy();
      return false;
    }
    pipeline.unanswered.push(response);
    response.once('close', () => {
      removeFrom(pipeline.unanswered, response);
      pipeline.lastUsedAt = performance.now();
    });
    return true;
  }

  /** Returns since when the connection has had no request in flight, by `performance.now()`; `undefined` while it has one. */
  idleSince(socket: Socket): number | undefined {
    const { unanswered, lastUsedAt } = this.pipelines.get(socket) ?? this.open(socket);
    return unanswered.length === 0 ? lastUsedAt : undefined;
  }

  /** Begins to count the requests of a connection, and the time that it is idle. */
  open(socket: Socket): Pipeline {
    const pipeline: Pipeline = {
      turn: this.turn,
      requestsInTurn: 0,
      unanswered: [],
      lastUsedAt: performance.now(),
    };
    this.pipelines.set(socket, pipeline);
    // By the next tick Node has closed the response that it was sending.
    socket.once('close', () => process.nextTick(closeAll, pipeline.unanswered));
    return pipeline;
  }

  private countInTurn(pipeline: Pipeline): void {
    this.endTurn();
    if (pipeline.turn !== this.turn) {
      pipeline.turn = this.turn;
      pipeline.requestsInTurn = 0;
    }
    pipeline.requestsInTurn += 1;
  }

  private endTurn(): void {
    if (this.isTurnEnding) return;
    this.isTurnEnding = true;
    setImmediate(() => {
      this.turn += 1;
      this.isTurnEnding = false;
    });
  }
}

function removeFrom(responses: ServerResponse[], response: ServerResponse): void {
  const index = responses.indexOf(response);
  if (index >= 0) responses.splice(index, 1);
}

/**
 * Node emits no `close` for responses that wait behind another one when their connection ends: the resources that their
 * handlers hold until `close` would never be released.
 */
function closeAll(responses: ServerResponse[]): void {
  for (const response of [...responses]) {
    response.destroy();
    response.emit('close');
  }
}
