import type { Socket } from 'node:net';

const PER_TURN_MAX = 8;

interface Pipeline {
  turn: number;
  requests: number;
}

/**
 * Bounds how many requests of one connection are answered in one turn of the event loop: a client that sends them without
 * waiting for the answers could fill a turn by itself, with thousands in each read. Browsers and proxies send one at a time.
 */
export class PipelineLimit {
  private turn = 0;
  private isTurnEnding = false;
  private readonly pipelines = new WeakMap<Socket, Pipeline>();

  /** @returns false for a request beyond the limit */
  admit(socket: Socket): boolean {
    this.endTurn();
    const pipeline = this.pipelines.get(socket);
    if (!pipeline) this.pipelines.set(socket, { turn: this.turn, requests: 1 });
    else if (pipeline.turn !== this.turn) {
      pipeline.turn = this.turn;
      pipeline.requests = 1;
    } else {
      pipeline.requests += 1;
      return pipeline.requests <= PER_TURN_MAX;
    }
    return true;
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
