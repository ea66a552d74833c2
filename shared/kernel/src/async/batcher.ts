import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';

interface Waiting<In, Out> {
  item: In;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions {
  /** Of one call; more items wait for the next. */
  itemsMax?: number;
  /** Calls at the same time. */
  concurrency?: number;
  /**
   * The pause between two calls, at least the rest of the turn of the event loop: under load a few large calls cost less
   * than many small ones.
   */
  gatherMs?: number;
}

/** The cost of a call in the database grows with the square of its items. */
const ITEMS_MAX = 500;

/** Handles together the items of one turn of the event loop, and those that arrive while calls are in progress. */
export class Batcher<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private runCount = 0;
  private readonly options: Required<BatcherOptions>;

  /** @param handle handles the items, and returns a function from an item to its result */
  constructor(
    private readonly handle: (items: In[]) => Promise<(item: In) => Out>,
    options: BatcherOptions = {},
  ) {
    this.options = { itemsMax: ITEMS_MAX, concurrency: 1, gatherMs: 0, ...options };
  }

  /**
   * Resolves with the item's result once it is handled. The caller bounds how many items wait.
   *
   * @param signal takes an item that still waits out of the line, which rejects with the signal's reason
   */
  submit(item: In, signal?: AbortSignal): Promise<Out> {
    return new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      this.waiting.push(waiting);
      signal?.addEventListener('abort', () => this.giveUp(waiting, signal.reason), { once: true });
      if (this.runCount >= this.options.concurrency) return;
      this.runCount += 1;
      setImmediate(() => void this.handleWaiting());
    });
  }

  private giveUp(item: Waiting<In, Out>, reason: unknown): void {
    const index = this.waiting.indexOf(item);
    if (index === -1) return;
    this.waiting.splice(index, 1);
    item.reject(reason);
  }

  private async handleWaiting(): Promise<void> {
    const { itemsMax, gatherMs } = this.options;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, itemsMax);
      try {
        const resultOf = await this.handle(batch.map(({ item }) => item));
        for (const { item, resolve } of batch) resolve(resultOf(item));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (this.waiting.length > 0) await (gatherMs > 0 ? sleep(gatherMs) : endOfTurn());
    }
    this.runCount -= 1;
  }
}
