import type { SessionBody } from '@waymark/contract/users';
import { csrfTokenOf, SESSION_COOKIE } from '@waymark/contract/sessions';
import { missing } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { item, noContent } from '@waymark/kernel/http/reply';
import { checkRecentSignIn, reauthenticate } from './recent-sign-in.js';
import { presentUser } from '../profile/present-user.js';
import { changePassword, presentPasswordOutcome } from './change-password.js';
import type { SessionContext } from './context.js';
import type { Session } from './session-store.js';
import { COOKIE_FLAGS, setSessionCookie } from './session-cookie.js';
import { signIn } from './sign-in.js';
import { endOtherSessions, endSession } from './sign-out.js';

/**
 * Also empties the browser's cache of earlier pages. Not `"cookies"`, which would remove those of every site below the same
 * domain, and not `"storage"`, which holds nothing but the theme and the language of the console.
 */
const CLEARED_DATA = '"cache"';

type Names =
  | 'session.create'
  | 'session.delete'
  | 'session.list'
  | 'session.end'
  | 'session.endOthers'
  | 'session.reauthenticate'
  | 'user.changePassword';

export function sessionHandlers(ctx: SessionContext): Pick<Handlers<'auth'>, Names> {
  return {
    'session.create': async ({ body, eventContext }, response) => {
      const userAgent = response.req.headers['user-agent'] ?? null;
      const signedIn = await signIn(ctx, eventContext, { ...body, userAgent });
      const { user, plaintext } = signedIn;
      setSessionCookie(response, signedIn);
      const memberships = await ctx.workspaces.findMembershipsOfUser(user._id);
      const presented = await presentUser(ctx, { user, memberships, token: null });
      return item(presented, { csrf_token: csrfTokenOf(plaintext) });
    },
    'session.delete': async ({ identity, eventContext }, response) => {
      if (identity.session_id !== null) await endSession(ctx, eventContext, identity.session_id);
      response.clearCookie(SESSION_COOKIE, COOKIE_FLAGS);
      return { ...noContent(), headers: { 'Clear-Site-Data': CLEARED_DATA } };
    },
    'session.list': async ({ identity }) => {
      const sessions = await ctx.sessions.listSessions(identity.actor.id!, await ctx.db.now());
      return { body: { data: sessions.map((session) => presentSession(session, identity.session_id)) } };
    },
    'session.end': async ({ params, eventContext }) => {
      if (!(await endSession(ctx, eventContext, params['id']!))) throw missing('session', params['id']!, 'of yours');
      return noContent();
    },
    'session.endOthers': async ({ identity, eventContext }) => {
      await checkRecentSignIn(ctx, identity.session_id);
      await endOtherSessions(ctx, eventContext, identity.session_id);
      return noContent();
    },
    'session.reauthenticate': async ({ body, identity, eventContext }) => {
      await reauthenticate(ctx, eventContext, { password: body.password, sessionId: identity.session_id! });
      return noContent();
    },
    'user.changePassword': async ({ body, identity, eventContext }) => {
      const outcome = await changePassword(ctx, eventContext, {
        current: body.current_password,
        chosen: body.new_password,
        sessionId: identity.session_id,
        revokesTokens: body.revoke_tokens,
      });
      return presentPasswordOutcome(outcome);
    },
  };
}

function presentSession(session: Session, currentId: string | null): SessionBody {
  return {
    id: session._id,
    created_at: session.createdAt.toISOString(),
    last_seen_at: (session.lastSeenAt ?? session.createdAt).toISOString(),
    ip_address: session.ipAddress,
    user_agent: session.userAgent,
    current: session._id === currentId,
  };
}
