import { csrfTokenOf, SESSION_COOKIE } from '@waymark/contract/sessions';
import type { Handlers } from '@waymark/kernel/http/api';
import { item, noContent } from '@waymark/kernel/http/reply';
import { presentUser } from '../profile/present-user.js';
import type { SessionContext } from './context.js';
import { signIn } from './sign-in.js';
import { signOut } from './sign-out.js';

const COOKIE_FLAGS = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const;

export function sessionHandlers(ctx: SessionContext): Pick<Handlers<'auth'>, 'session.create' | 'session.delete'> {
  return {
    'session.create': async ({ body, eventContext }, response) => {
      const { user, plaintext, expiresAt } = await signIn(ctx, eventContext, body);
      response.cookie(SESSION_COOKIE, plaintext, { ...COOKIE_FLAGS, expires: expiresAt });
      const memberships = await ctx.workspaces.findMembershipsOfUser(user._id);
      const presented = await presentUser(ctx, { user, memberships, token: null });
      return item(presented, { csrf_token: csrfTokenOf(plaintext) });
    },
    'session.delete': async ({ identity, eventContext }, response) => {
      if (identity.session_id !== null) await signOut(ctx, eventContext, identity.session_id);
      response.clearCookie(SESSION_COOKIE, COOKIE_FLAGS);
      return noContent();
    },
  };
}
