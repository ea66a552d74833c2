import { z } from 'zod';
import { invalid } from '@waymark/kernel/errors';
import { endSessionsOfUser } from '../sessions/sign-out.js';
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
    }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const revoked = await endSessionsOfUser(ctx, OPERATOR, { user, sessionId: options.id ?? null });
      if (revoked === 0 && options.id !== undefined) throw invalid({ id: ['The user has no such session.'] });
      return { email: user.email, revoked };
    },
  }),
};
