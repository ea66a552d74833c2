import type { EventContext } from '@waymark/contract/event';
import { sessionFailed } from '@waymark/contract/events';
import { ANONYMOUS } from '@waymark/contract/identity';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { User, UserStore } from '../users/user-store.js';
import type { WorkspaceStore } from '../workspaces/workspace-store.js';
import type { FailedSignInStore } from './failed-sign-in-store.js';
import { accountKey } from './sign-in-limits.js';

const INTERVAL_MS = 60_000;

interface FailureContext {
  db: Database;
  failedSignIns: FailedSignInStore;
}

interface FailedAttempt {
  /** `null` for an unknown e-mail, which takes the same steps as a known one. */
  user: User | null;
  email: string;
  workspaces: string[];
}

/** Reports a failed sign-in; beyond the limit of its account it is counted, and `startFailureReporter` reports the count. */
export async function recordFailure(
  ctx: FailureContext,
  event: EventContext,
  { user, ...attempt }: FailedAttempt,
): Promise<void> {
  const account = user?._id ?? accountKey(attempt.email);
  const userId = user?._id ?? null;
  if (!(await ctx.failedSignIns.acquireReport(account)))
    return ctx.failedSignIns.countFailure({ account, userId }, event.ipAddress ?? null);
  await ctx.db.transaction(async (tx) => {
    const target = user && targetOf(user);
    tx.emit(sessionFailed.create(event, { user_id: userId, ...attempt }, { target, changes: {} }));
    await Promise.resolve();
  });
}

const targetOf = ({ _id: id, email }: User) => ({ type: 'user', id, label: email });

interface ReporterContext extends FailureContext, WorkerContext {
  users: Pick<UserStore, 'findUser'>;
  workspaces: Pick<WorkspaceStore, 'findEnteredWorkspaces'>;
  metrics: Metrics;
}

/** Reports the counted failures of each user in one event, an hour after the first of them. */
export function startFailureReporter(ctx: ReporterContext): void {
  ctx.metrics.showDamagedRows('failed_sign_ins', () => ctx.failedSignIns.countDamaged());
  runPeriodically(ctx, {
    name: 'failed sign-ins',
    intervalMs: INTERVAL_MS,
    runOnce: async (skipItem) => {
      if (!ctx.db.isReady) return false;
      const now = await ctx.db.now();
      for await (const { _id: account } of ctx.failedSignIns.streamDue(now)) {
        if (ctx.lifecycle.signal.aborted) break;
        try {
          await reportFailures(ctx, account, now);
        } catch (error) {
          skipItem(error, { account }, 'failed sign-ins not reported');
        }
      }
      return false;
    },
  });
}

function reportFailures(ctx: ReporterContext, account: string, now: Date): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const failures = await ctx.failedSignIns.takeFailures(account, now, tx.session);
    // An unknown e-mail belongs to no workspace, so that no log would show the event.
    const user = failures && failures.userId !== null ? await ctx.users.findUser(failures.userId) : null;
    if (!failures || !user) return;
    const { count, ipAddress } = failures;
    const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
    tx.emit(
      sessionFailed.create(
        { workspace: null, actor: ANONYMOUS, ipAddress },
        { user_id: user._id, email: user.email, workspaces },
        { target: targetOf(user), changes: { count: { from: null, to: count } } },
      ),
    );
  });
}
