import { tokenRefused } from '@waymark/contract/events';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { UserStore } from '../users/store.js';
import type { Token, TokenStore } from './store.js';

const FLUSH_MS = 1000;
const TELL_EVERY_MS = 60_000;
const PENDING_MAX = 10_000;

/**
 * Reports uses of revoked or expired tokens: one event per token and minute with their number, from one replica. Counts
 * collect in memory for a moment, so the number may miss uses that a killed process had not written yet.
 */
export class Refusals {
  private pending = new Map<string, { count: number; address: string | null }>();
  private working = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly tokens: TokenStore,
    private readonly users: Pick<UserStore, 'byId'>,
    private readonly log: Log,
    lifecycle: Lifecycle,
    private readonly tellEveryMs = TELL_EVERY_MS,
  ) {
    const timer = setInterval(() => void this.flush(), FLUSH_MS);
    lifecycle.onStop('refusals', () => {
      clearInterval(timer);
      return this.flush();
    });
  }

  note({ _id }: Token, address: string | null): void {
    const count = (this.pending.get(_id)?.count ?? 0) + 1;
    if (count > 1 || this.pending.size < PENDING_MAX) this.pending.set(_id, { count, address });
  }

  flush(): Promise<void> {
    this.working = this.working.then(async () => {
      try {
        await this.write();
        await this.tell();
      } catch (error) {
        this.log.warn({ err: error }, 'refused tokens not written');
      }
    });
    return this.working;
  }

  private async write(): Promise<void> {
    if (!this.db.isReady || this.pending.size === 0) return;
    const noted = this.pending;
    this.pending = new Map();
    // Sorted, so that two replicas cannot deadlock.
    const refused = [...noted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, use]) => ({ id, ...use }));
    await this.tokens.addRefusals(refused);
  }

  private async tell(): Promise<void> {
    if (!this.db.isReady) return;
    const time = new Date(Date.now() - this.tellEveryMs);
    for (const { _id } of await this.tokens.refusedBefore(time)) await this.tellOf(_id, time);
  }

  private tellOf(id: string, time: Date): Promise<void> {
    return this.db.transaction(async (tx) => {
      const token = await this.tokens.takeRefusals(id, time, tx.session);
      if (!token) return;
      const { name, userId, workspace, refusals: count, refusedAddress: ipAddress } = token;
      const email = (await this.users.byId(userId))?.email ?? null;
      tx.emit(
        tokenRefused.create(
          { workspace, ipAddress, actor: { type: 'token', id: userId, name, email, token_id: id } },
          { token_id: id, name, user_id: userId, count },
          { target: { type: 'token', id, label: name }, changes: { count: { from: null, to: count } } },
        ),
      );
    });
  }
}
