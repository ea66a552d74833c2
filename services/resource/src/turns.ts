import { unavailable } from '@waymark/shared/kernel/errors';
import { within } from '@waymark/shared/kernel/within';

const WAIT_MAX_MS = 10_000;

/**
 * Changes of one workspace's content are made one after the other in each process: they meet at its counters, where
 * many at a time would only undo and repeat each other. Who waits too long is told to come back.
 */
export class Turns {
  private readonly tails = new Map<string, Promise<unknown>>();

  async run<T>(workspace: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(workspace) ?? Promise.resolve();
    const turn = within(WAIT_MAX_MS, before, tooMany).then(work);
    // Also after one who has left the queue, the next one waits for those before.
    const tail = Promise.allSettled([before, turn]);
    this.tails.set(workspace, tail);
    try {
      return await turn;
    } finally {
      if (this.tails.get(workspace) === tail) this.tails.delete(workspace);
    }
  }
}

const tooMany = () => unavailable(new Error('too many changes of one workspace at once'));
