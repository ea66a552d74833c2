import type { EventContext } from '@waymark/contract/event';
import type { AuthContext } from '../context.js';
import { sessionEnded } from './session-ended.js';

export async function signOut(ctx: AuthContext, event: EventContext, sessionId: string): Promise<void> {
  const workspaces = event.actor?.id ? await ctx.workspaces.enteredBy(event.actor.id) : [];
  await ctx.db.transaction(async (tx) => {
    const session = await ctx.sessions.delete(sessionId, tx.session);
    if (!session) return;
    tx.emit(sessionEnded(event, { user_id: session.userId, email: event.actor?.email ?? '', workspaces }));
  });
}
