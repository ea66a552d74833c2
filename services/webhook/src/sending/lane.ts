/** At most so many at a time; who comes first is served first. */
class Lane {
  private inside = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly max: number) {}

  get size(): number {
    return this.inside;
  }

  async enter(): Promise<void> {
    if (this.inside >= this.max) await new Promise<void>((resolve) => this.queue.push(resolve));
    else this.inside += 1;
  }

  /** Without a free place. */
  pushIn(): void {
    this.inside += 1;
  }

  leave(): void {
    const next = this.inside <= this.max ? this.queue.shift() : undefined;
    // The place is handed on, never free in between.
    if (next) next();
    else this.inside -= 1;
  }
}

const FAILING_SHARE = 4;
const PATIENCE_MS = 1000;

/**
 * What this process sends at a time. Endpoints that fail or are slow share a smaller lane of their own, and whoever turns
 * out to be slow goes on in it: any number of dead ones, each holding its place until its time is up, leaves the places
 * of the others free.
 */
export class Lanes {
  private readonly healthy: Lane;
  private readonly suspect: Lane;

  constructor(inFlightMax: number) {
    this.healthy = new Lane(inFlightMax);
    this.suspect = new Lane(Math.max(1, Math.floor(inFlightMax / FAILING_SHARE)));
  }

  get inFlight(): number {
    return this.healthy.size + this.suspect.size;
  }

  /** Does the work once there is a place for it; `onSlow` is told when it takes longer than a healthy endpoint should. */
  async run<T>(isSuspect: boolean, work: () => Promise<T>, onSlow: () => void): Promise<T> {
    let lane = isSuspect ? this.suspect : this.healthy;
    await lane.enter();
    const patience = setTimeout(() => {
      onSlow();
      if (lane === this.suspect) return;
      // Its place is free for another; so there may be more in flight than places, one set for each second of a time limit.
      lane.leave();
      lane = this.suspect;
      lane.pushIn();
    }, PATIENCE_MS);
    try {
      return await work();
    } finally {
      clearTimeout(patience);
      lane.leave();
    }
  }
}
