/** At most so many at a time; who comes first is served first. */
class Lane {
  private inside = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly max: number) {}

  get size(): number {
    return this.inside;
  }

  /** @returns false when there is no place: `turn` waits for one */
  enter(): boolean {
    if (this.inside >= this.max) return false;
    this.inside += 1;
    return true;
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.queue.push(resolve));
  }

  leave(): void {
    const next = this.queue.shift();
    // The place is handed on, never free in between.
    if (next) next();
    else this.inside -= 1;
  }
}

/** How an endpoint answers now: in time, later than that, or not at all for long. */
export type Pace = 'prompt' | 'slow' | 'dead';

const SHARE_OF_OTHERS = 4;
const PATIENCE_MS = 1000;

/**
 * What this process sends at a time, in a lane for each pace. Whoever turns out to be slow gives its place to the next
 * and goes on beside the lane: any number of endpoints that never answer leave the places of the others free, and a dead
 * one that has recovered is soon found among them. So there may be more in flight than places, one set for each second of
 * a time limit. Only who is known to be slow keeps its place.
 */
export class Lanes {
  private readonly lanes: Record<Pace, Lane>;
  private beside = 0;

  constructor(inFlightMax: number) {
    const others = Math.max(1, Math.floor(inFlightMax / SHARE_OF_OTHERS));
    this.lanes = { prompt: new Lane(inFlightMax), slow: new Lane(others), dead: new Lane(others) };
  }

  get inFlight(): number {
    return Object.values(this.lanes).reduce((sum, lane) => sum + lane.size, this.beside);
  }

  /** Does the work once there is a place for it; `onSlow` is told when it takes longer than a prompt endpoint should. */
  async run<T>(pace: Pace, work: () => Promise<T>, onSlow: () => void): Promise<T> {
    const lane = this.lanes[pace];
    let isBeside = false;
    if (!lane.enter()) await lane.turn();
    const patience = setTimeout(() => {
      onSlow();
      if (pace === 'slow') return;
      isBeside = true;
      this.beside += 1;
      lane.leave();
    }, PATIENCE_MS);
    try {
      return await work();
    } finally {
      clearTimeout(patience);
      if (isBeside) this.beside -= 1;
      else lane.leave();
    }
  }
}
