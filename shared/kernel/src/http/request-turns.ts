import type { Socket } from 'node:net';

/** How long requests are handled in one turn of the event loop. */
const TURN_MS = 10;
/** Of the requests that wait behind another one of their connection; browsers and proxies send none. */
const PIPELINED_WAITING_MAX = 1000;

/**
 * Spreads requests that arrive together over several turns of the event loop: one poll can read a thousand connections.
 * Connections take turns with one request each, so a client with many pipelined requests delays no other client by all
 * of them.
 */
export class RequestTurns {
  private readonly waiting = new Map<Socket, (() => void)[]>();
  private pipelinedCount = 0;
  private turnEndsAt: number | undefined;

  /** Calls `handle` at once if there is time in this turn, or else in a later one, unless the connection ends before. */
  run(socket: Socket, handle: () => void): void {
    const earlier = this.waiting.get(socket);
    if (earlier) this.addBehind(earlier, socket, handle);
    else if (this.waiting.size === 0 && performance.now() < this.endOfTurn()) handle();
    else this.addConnection(socket, handle);
  }

  private addBehind(earlier: (() => void)[], socket: Socket, handle: () => void): void {
    if (this.pipelinedCount >= PIPELINED_WAITING_MAX) {
      socket.destroy();
      return;
    }
    this.pipelinedCount += 1;
    earlier.push(handle);
  }

  private addConnection(socket: Socket, handle: () => void): void {
    if (this.waiting.size === 0) setImmediate(this.handleWaiting);
    this.waiting.set(socket, [handle]);
  }

  private readonly handleWaiting = (): void => {
    const endsAt = performance.now() + TURN_MS;
    for (const [socket, handlers] of this.waiting) {
      if (performance.now() >= endsAt) break;
      // A map keeps the order of insertion, so the connection's next request comes after those of all others.
      this.waiting.delete(socket);
      const [handle, ...later] = handlers;
      if (socket.destroyed) {
        this.pipelinedCount -= later.length;
        continue;
      }
      if (later.length > 0) {
        this.pipelinedCount -= 1;
        this.waiting.set(socket, later);
      }
      handle!();
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
