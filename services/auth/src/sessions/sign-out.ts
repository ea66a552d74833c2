import type { EventContext } from '@waymark/contract/event';
import type { SessionContext } from './context.js';
import { createSessionEnded } from './session-ended.js';

export async function signOut(ctx: SessionContext, event: EventContext, sessionId: string): Promise<void> {
  const workspaces = event.actor?.id ? await ctx.workspaces.findEnteredWorkspaces(event.actor.id) : [];
  await ctx.db.transaction(async (tx) => {
    const session = await ctx.sessions.deleteSession(sessionId, tx.session);
    if (!session) return;
    tx.emit(createSessionEnded(event, { user_id: session.userId, email: event.actor?.email ?? '', workspaces }));
  });
}
