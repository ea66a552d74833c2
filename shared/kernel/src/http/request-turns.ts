import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long requests are handled in one turn of the event loop. */
const TURN_MS = 10;
/** Requests that wait behind another one of their client. */
const WAITING_BEHIND_MAX = { total: 2000, client: 512 };

interface Waiting {
  socket: Socket;
  handle: () => void;
}

/**
 * Spreads requests that arrive together over several turns of the event loop: one poll can read a thousand connections.
 * Clients take turns with one request each, so one that sends many at once delays no other client by all of them.
 */
export class RequestTurns {
  private readonly waiting = new Map<unknown, Waiting[]>();
  private behindCount = 0;
  private turnEndsAt: number | undefined;

  /** @param clientOf names the client of a request: a text, or its connection if nothing else tells clients apart */
  constructor(private readonly clientOf: (request: IncomingMessage) => string | Socket) {}

  /**
   * Calls `handle` at once if there is time in this turn, or else in a later one, unless the connection ends before.
   * Closes the connection when too many requests wait.
   */
  run(request: IncomingMessage, handle: () => void): void {
    if (this.waiting.size === 0 && performance.now() < this.endOfTurn()) handle();
    else this.add(this.clientOf(request), { socket: request.socket, handle });
  }

  private add(client: string | Socket, request: Waiting): void {
    if (this.waiting.size === 0) setImmediate(this.handleWaiting);
    const earlier = this.waiting.get(client);
    if (!earlier) {
      this.waiting.set(client, [request]);
      return;
    }
    if (earlier.length > WAITING_BEHIND_MAX.client || this.behindCount >= WAITING_BEHIND_MAX.total) {
      request.socket.destroy();
      return;
    }
    this.behindCount += 1;
    earlier.push(request);
  }

  private readonly handleWaiting = (): void => {
    const endsAt = performance.now() + TURN_MS;
    for (const [client, requests] of this.waiting) {
      if (performance.now() >= endsAt) break;
      const { socket, handle } = requests.shift()!;
      // A map keeps the order of insertion, so the client's next request comes after those of all others.
      this.waiting.delete(client);
      if (requests.length > 0) {
        this.behindCount -= 1;
        this.waiting.set(client, requests);
      }
      if (!socket.destroyed) handle();
    }
    if (this.waiting.size > 0) setImmediate(this.handleWaiting);
  };

  private endOfTurn(): number {
    if (this.turnEndsAt === undefined) {
      this.turnEndsAt = performance.now() + TURN_MS;
      setImmediate(() => (this.turnEndsAt = undefined));
    }
    return this.turnEndsAt;
  }
}
