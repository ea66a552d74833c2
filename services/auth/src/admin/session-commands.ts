import { z } from 'zod';
import { dryRun } from '@waymark/kernel/command-line/command';
import { invalidOption } from '@waymark/kernel/errors';
import { endSessionsOfUser } from '../sign-in/sessions/sign-out.js';
import type { User } from '../users/user-store.js';
import type { AdminContext } from './context.js';
import { databaseCommand, email, findExistingUser, OPERATOR } from './database-command.js';

export const SESSION_COMMANDS = {
  'session list': databaseCommand({
    summary: 'Lists the sessions of a user, newest first',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const sessions = await ctx.sessions.listSessions(user._id, await ctx.db.now());
      return sessions.map((session) => ({
        id: session._id,
        created_at: session.createdAt.toISOString(),
        last_seen_at: (session.lastSeenAt ?? session.createdAt).toISOString(),
        ip_address: session.ipAddress,
        user_agent: session.userAgent,
      }));
    },
  }),
  'session revoke': databaseCommand({
    summary: 'Ends a session of a user, or every one of them',
    options: z.object({
      email,
      id: z.string().max(64).optional().describe('id of the session, as session list prints it; all without it'),
      dryRun,
    }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const selection = { user, sessionId: options.id ?? null };
      const revoked = await (options.dryRun
        ? countSessions(ctx, selection)
        : endSessionsOfUser(ctx, OPERATOR, selection));
      if (revoked === 0 && options.id !== undefined) throw invalidOption('id', 'The user has no such session.');
      return { email: user.email, dry_run: options.dryRun, revoked };
    },
  }),
};

async function countSessions(
  { db, sessions }: Pick<AdminContext, 'db' | 'sessions'>,
  { user, sessionId }: { user: User; sessionId: string | null },
): Promise<number> {
  const active = await sessions.listSessions(user._id, await db.now());
  return active.filter(({ _id }) => sessionId === null || _id === sessionId).length;
}
