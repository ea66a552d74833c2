import { setTimeout as sleep } from 'node:timers/promises';

interface Waiting<In, Out> {
  item: In;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
}

/** More items wait for the next call: the cost of a call in the database grows with the square of its items. */
const ITEMS_MAX = 500;

/** Handles a single item at once, and together those that arrive during a call and shortly after. */
export class Batcher<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private isRunning = false;

  /**
   * @param run handles the items, and returns a function from an item to its result
   * @param gatherMs the pause between two calls: under load a few large calls cost less than many small ones
   */
  constructor(
    private readonly run: (items: In[]) => Promise<(item: In) => Out>,
    private readonly gatherMs = 0,
  ) {}

  /** Resolves with the item's result once it is handled. */
  submit(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, ITEMS_MAX);
      try {
        const resultOf = await this.run(batch.map(({ item }) => item));
        for (const { item, resolve } of batch) resolve(resultOf(item));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (this.waiting.length > 0 && this.gatherMs > 0) await sleep(this.gatherMs);
    }
    this.isRunning = false;
  }
}
