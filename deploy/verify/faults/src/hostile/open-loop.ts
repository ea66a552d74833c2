import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 5;

/**
 * Calls `send` at a fixed rate, without waiting for earlier calls, until it is stopped. At most `openMax` calls are
 * open at a time; those above it are skipped and counted.
 */
export class OpenLoop {
  sent = 0;
  skipped = 0;
  private readonly open = new Set<Promise<void>>();
  private stopped = false;
  private running?: Promise<void>;

  constructor(
    private readonly perSecond: number,
    private readonly send: (index: number) => Promise<void>,
    private readonly openMax = 500,
  ) {}

  start(): this {
    this.running = this.run();
    return this;
  }

  /** Stops sending, and waits for the open calls. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.open);
  }

  private async run(): Promise<void> {
    const startedAt = performance.now();
    while (!this.stopped) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * this.perSecond);
      while (this.sent + this.skipped < due) this.next();
      await sleep(TICK_MS);
    }
  }

  private next(): void {
    if (this.open.size >= this.openMax) {
      this.skipped += 1;
      return;
    }
    const call = this.send(this.sent).catch(() => undefined);
    this.sent += 1;
    this.open.add(call);
    void call.then(() => this.open.delete(call));
  }
}
