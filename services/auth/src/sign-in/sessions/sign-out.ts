import type { EventContext } from '@waymark/contract/event';
import type { SessionContext } from './context.js';
import type { User } from '../../users/user-store.js';
import { createSessionEnded, createSessionsEnded } from './session-ended.js';

type EndContext = Pick<SessionContext, 'db' | 'sessions' | 'workspaces'>;

/** Ends a session of the caller. @returns false when the caller has no such session */
export async function endSession(ctx: EndContext, event: EventContext, sessionId: string): Promise<boolean> {
  const data = await endedData(ctx, event);
  return ctx.db.transaction(async (tx) => {
    if (!(await ctx.sessions.deleteSession(sessionId, data.user_id, tx.session))) return false;
    tx.emit(createSessionEnded(event, data));
    return true;
  });
}

/** Ends all sessions of the caller but the one that asks. */
export async function endOtherSessions(ctx: EndContext, event: EventContext, keptId: string | null): Promise<void> {
  const data = await endedData(ctx, event);
  await ctx.db.transaction(async (tx) => {
    const ended = await ctx.sessions.deleteOtherSessions(data.user_id, keptId, tx.session);
    tx.emit(...createSessionsEnded(event, data, { ended, left: keptId === null ? 0 : 1 }));
  });
}

/** Ends a session of a user, or all of them. @returns how many */
export async function endSessionsOfUser(
  ctx: EndContext,
  event: EventContext,
  { user, sessionId }: { user: User; sessionId: string | null },
): Promise<number> {
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const data = { user_id: user._id, email: user.email, workspaces };
  return ctx.db.transaction(async (tx) => {
    if (sessionId !== null) {
      if (!(await ctx.sessions.deleteSession(sessionId, user._id, tx.session))) return 0;
      tx.emit(createSessionEnded(event, data));
      return 1;
    }
    const ended = await ctx.sessions.deleteOtherSessions(user._id, null, tx.session);
    tx.emit(...createSessionsEnded(event, data, { ended, left: 0 }));
    return ended;
  });
}

async function endedData({ workspaces }: EndContext, { actor }: EventContext) {
  const userId = actor?.id ?? '';
  const entered = await workspaces.findEnteredWorkspaces(userId);
  return { user_id: userId, email: actor?.email ?? '', workspaces: entered };
}
