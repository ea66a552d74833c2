import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Token, TokenStore } from './token-store.js';

const INTERVAL_MS = 60_000;
const FLUSH_MS = 5000;
const PENDING_MAX = 10_000;

/** Starts to write last uses every five seconds; writes the rest when the process stops. */
export function startLastUseRecorder(ctx: { tokens: TokenStore; log: Log; lifecycle: Lifecycle }): LastUseRecorder {
  const recorder = new LastUseRecorder(ctx.tokens, ctx.log);
  const timer = setInterval(() => void recorder.flushUses(), FLUSH_MS);
  ctx.lifecycle.onStop('last use', () => {
    clearInterval(timer);
    return recorder.flushUses();
  });
  return recorder;
}

/** Records when tokens were last used: collected in memory, written asynchronously, at most once a minute per token. */
export class LastUseRecorder {
  private readonly pending = new Map<string, Date>();
  private flushing = Promise.resolve();

  constructor(
    private readonly tokens: TokenStore,
    private readonly log: Log,
  ) {}

  noteUse(token: Token, time: Date): void {
    if (token.lastUsedAt && time.getTime() - token.lastUsedAt.getTime() < INTERVAL_MS) return;
    if (this.pending.size < PENDING_MAX) this.pending.set(token._id, time);
  }

  /** Drops times that cannot be written: the next use records a new one. */
  flushUses(): Promise<void> {
    this.flushing = this.flushing.then(async () => {
      // Sorted, so that two replicas cannot deadlock.
      const uses = [...this.pending].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, at]) => ({ id, at }));
      this.pending.clear();
      if (uses.length === 0) return;
      await this.tokens.markTokensUsed(uses, INTERVAL_MS).catch((error: unknown) => {
        this.log.warn({ err: error, tokens: uses.length }, 'last use of tokens not written');
      });
    });
    return this.flushing;
  }
}
