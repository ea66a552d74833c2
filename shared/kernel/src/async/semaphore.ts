import { unavailable } from '../errors.js';

/** A bounded semaphore: up to `runningMax` run, up to `waitingMax` wait in order, each for at most `waitMaxMs`. */
export class Semaphore {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
    private readonly waitMaxMs = 10_000,
  ) {}

  /** @throws AppError `service_unavailable` when too many wait already, or for too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.runningMax) this.running += 1;
    else await this.acquire();
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next) next();
      else this.running -= 1;
    }
  }

  private acquire(): Promise<void> {
    if (this.waiting.size >= this.waitingMax) throw unavailable(new Error('too many wait for a permit'));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.waiting.delete(go);
      };
      const go = () => {
        leave();
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        reject(unavailable(new Error('waited too long for a permit')));
      }, this.waitMaxMs);
      this.waiting.add(go);
    });
  }
}
