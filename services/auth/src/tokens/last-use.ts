import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Token, TokenStore } from './store.js';

const INTERVAL_MS = 60_000;
const FLUSH_MS = 5000;
const PENDING_MAX = 10_000;

/** Records when tokens were last used: collected in memory, written asynchronously, at most once a minute per token. */
export class LastUse {
  private readonly pending = new Map<string, Date>();
  private flushing = Promise.resolve();

  constructor(
    private readonly tokens: TokenStore,
    private readonly log: Log,
    lifecycle: Lifecycle,
  ) {
    const timer = setInterval(() => void this.flush(), FLUSH_MS);
    lifecycle.onStop('last use', () => {
      clearInterval(timer);
      return this.flush();
    });
  }

  note(token: Token, at: Date): void {
    if (token.lastUsedAt && at.getTime() - token.lastUsedAt.getTime() < INTERVAL_MS) return;
    if (this.pending.size < PENDING_MAX) this.pending.set(token._id, at);
  }

  /** Drops times that cannot be written: the next use records a new one. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(async () => {
      // Sorted, so that two replicas cannot deadlock.
      const uses = [...this.pending].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, at]) => ({ id, at }));
      this.pending.clear();
      if (uses.length === 0) return;
      await this.tokens.markUsed(uses, INTERVAL_MS).catch((error: unknown) => {
        this.log.warn({ err: error, tokens: uses.length }, 'last use not written');
      });
    });
    return this.flushing;
  }
}
