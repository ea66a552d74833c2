/** At most so many at a time; who comes first is served first. */
export class Lane {
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

  leave(): void {
    const next = this.queue.shift();
    // The place is handed on, never free in between.
    if (next) next();
    else this.inside -= 1;
  }
}

const FAILING_SHARE = 4;

/**
 * What this process sends at a time. Failing endpoints share a smaller lane of their own: any number of dead ones,
 * each holding a place until its time is up, leaves the places of the others free.
 */
export class Lanes {
  private readonly healthy: Lane;
  private readonly failing: Lane;

  constructor(inFlightMax: number) {
    this.healthy = new Lane(inFlightMax);
    this.failing = new Lane(Math.max(1, Math.floor(inFlightMax / FAILING_SHARE)));
  }

  get inFlight(): number {
    return this.healthy.size + this.failing.size;
  }

  of(endpoint: { consecutiveFailures: number }): Lane {
    return endpoint.consecutiveFailures > 0 ? this.failing : this.healthy;
  }
}
