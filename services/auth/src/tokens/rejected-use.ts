import { tokenRefused } from '@waymark/contract/events';
import { isOutage } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { UserStore } from '../users/user-store.js';
import type { Token, TokenStore } from './token-store.js';

const NAME = 'rejected uses';
const FLUSH_MS = 1000;
const REPORT_INTERVAL_MS = 60_000;
const PENDING_MAX = 10_000;
/** Each report is a transaction, and the uses noted meanwhile are written after the round. */
const REPORTED_MAX = 200;

export interface RejectedUseContext {
  db: Database;
  tokens: TokenStore;
  users: Pick<UserStore, 'findUser'>;
  log: Log;
  lifecycle: Lifecycle;
}

/**
 * Starts to report rejected uses every second; writes the noted uses when the process stops. The next process reports
 * what a stop leaves unreported.
 */
export function startRejectedUseReporter(
  ctx: RejectedUseContext,
  reportIntervalMs = REPORT_INTERVAL_MS,
): RejectedUseReporter {
  const reporter = new RejectedUseReporter(ctx, reportIntervalMs);
  const timer = setInterval(() => void reporter.flushUses(), FLUSH_MS);
  ctx.lifecycle.onStop(NAME, () => {
    clearInterval(timer);
    return reporter.flushUses();
  });
  return reporter;
}

/**
 * Reports uses of revoked or expired tokens: one event per token and minute with their number, from one replica. Counts
 * collect in memory for a moment, so the number may miss uses that a killed process had not written yet.
 */
export class RejectedUseReporter {
  private pending = new Map<string, { count: number; address: string | null }>();
  private working = Promise.resolve();

  constructor(
    private readonly ctx: RejectedUseContext,
    private readonly reportIntervalMs: number,
  ) {}

  noteUse({ _id }: Token, address: string | null): void {
    const count = (this.pending.get(_id)?.count ?? 0) + 1;
    if (count > 1 || this.pending.size < PENDING_MAX) this.pending.set(_id, { count, address });
  }

  flushUses(): Promise<void> {
    this.working = this.working.then(async () => {
      if (!this.ctx.db.isReady) return;
      try {
        await this.writeUses();
        await this.reportTokens();
      } catch (error) {
        this.ctx.log.warn({ err: error }, 'rejected uses of tokens not written');
      }
    });
    return this.working;
  }

  private async writeUses(): Promise<void> {
    if (this.pending.size === 0) return;
    const noted = this.pending;
    this.pending = new Map();
    // Sorted, so that two replicas cannot deadlock.
    const uses = [...noted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, use]) => ({ id, ...use }));
    await this.ctx.tokens.addRejectedUses(uses);
  }

  private async reportTokens(): Promise<void> {
    const time = new Date(Date.now() - this.reportIntervalMs);
    for await (const { _id } of this.ctx.tokens.streamUnreported(time, REPORTED_MAX)) {
      if (this.ctx.lifecycle.isStopping) break;
      try {
        // Mongoose would find no token by a damaged id, which then would remain due.
        if (typeof _id !== 'string') throw new Error('The id of the token is not a text.');
        await this.reportToken(_id, time);
      } catch (error) {
        if (isOutage(error)) throw error;
        // A damaged token must not stop the reports of all others.
        this.ctx.log.error({ err: error, token_id: _id, work: NAME }, 'rejected uses of a token not reported');
        this.ctx.lifecycle.reportWorkFailed(NAME);
        await this.ctx.tokens.postponeReport(_id);
      }
    }
  }

  private reportToken(id: string, time: Date): Promise<void> {
    return this.ctx.db.transaction(async (tx) => {
      const token = await this.ctx.tokens.resetRejectedUses(id, time, tx.session);
      if (!token) return;
      const { name, userId, workspace, refusals: count, refusedAddress: ipAddress } = token;
      const user = await this.ctx.users.findUser(userId);
      const ofUser = { id: userId, name: user?.name ?? null, email: user?.email ?? null };
      const actor = { type: 'token' as const, ...ofUser, token_id: id, token: { id, name } };
      tx.emit(
        tokenRefused.create(
          { workspace, ipAddress, actor },
          { token_id: id, name, user_id: userId, count },
          { target: { type: 'token', id, label: name }, changes: { count: { from: null, to: count } } },
        ),
      );
    });
  }
}
