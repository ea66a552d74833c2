import { unavailable } from '@waymark/shared/kernel/errors';

/** Lets so many pieces of work run at once, and so many more wait for their turn. */
export class Turnstile {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
  ) {}

  /** @throws AppError `service_unavailable` when too many wait already */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.runningMax) this.running += 1;
    else await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= this.waitingMax) throw unavailable(new Error('too many wait for their turn'));
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
