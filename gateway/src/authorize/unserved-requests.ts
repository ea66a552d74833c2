import type { Response } from 'express';
import { UNSERVED_BATCH_MAX } from '@waymark/contract/authorize';
import { Batcher } from '@waymark/kernel/async/batcher';
import type { Log } from '@waymark/kernel/process/log';

/** Of requests that wait for a call to auth; those of further ones count. */
const WAITING_MAX = 5000;

/** Tells auth which of the requests that it has counted were answered with 503: they do not count. */
export class UnservedRequests {
  private readonly calls: Batcher<string, void>;
  private waitingCount = 0;

  constructor(
    send: (entries: string[]) => Promise<void>,
    private readonly log: Log,
  ) {
    const sendBatch = async (entries: string[]) => {
      await send(entries);
      return (): void => undefined;
    };
    this.calls = new Batcher(sendBatch, { itemsMax: UNSERVED_BATCH_MAX });
  }

  /** Call it at the end of each response. */
  readonly noteEnd = (response: Response): void => {
    const entry = response.locals['limitEntry'] as string | null | undefined;
    if (response.statusCode === 503 && entry) this.note(entry);
  };

  note(entry: string): void {
    if (this.waitingCount >= WAITING_MAX) return;
    this.waitingCount += 1;
    this.calls
      .submit(entry)
      .catch((error: unknown) => this.log.warn({ err: error }, 'an unserved request stays counted'))
      .finally(() => (this.waitingCount -= 1));
  }
}
