import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@waymark/shared/kernel/log';
import type { TargetCache } from './target-cache.js';
import type { TargetStore } from './target-store.js';
import { CHECK_AFTER_MS, type Target } from './target.js';

const ROUND_EVERY_MS = 200;
const LINKS_PER_ROUND = 500;

/** Checks what is in memory against the database, in the background: until then, and during an outage, it serves. */
export class Revalidator {
  private readonly waiting = new Set<string>();
  private readonly stopping = new AbortController();
  private running?: Promise<void>;

  constructor(
    private readonly cache: TargetCache,
    private readonly store: TargetStore,
    private readonly log: Log,
  ) {}

  start(): void {
    this.running ??= this.checkUntilStopped();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  check(target: Target, now: number): void {
    target.checkAt = now + CHECK_AFTER_MS;
    this.waiting.add(target.record.linkId);
  }

  checkAll(): void {
    for (const linkId of this.cache.linkIds()) this.waiting.add(linkId);
  }

  private async checkUntilStopped(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await sleep(ROUND_EVERY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.waiting.size > 0 && this.store.isReady) await this.round();
    }
  }

  private async round(): Promise<void> {
    const linkIds = [...this.waiting].slice(0, LINKS_PER_ROUND);
    try {
      for (const record of await this.store.findByLinks(linkIds)) this.cache.apply(record);
      for (const linkId of linkIds) this.waiting.delete(linkId);
    } catch (error) {
      this.log.debug({ err: error }, 'targets not checked, trying again');
    }
  }
}
