import { formatInvalid } from '@waymark/contract/problems';
import { readCookie, SIGN_IN_COOKIE } from '@waymark/contract/sessions';
import { RETURN_TO_HEADER } from '@waymark/contract/sign-in-failures';
import { invalid } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { item, type Reply } from '@waymark/kernel/http/reply';
import { CONSOLE_PATHS } from '@waymark/contract/console-paths';
import { COOKIE_FLAGS, setSessionCookie } from '../sessions/session-cookie.js';
import { BINDING_LIFETIME_MS, localPath } from './browser-binding.js';
import type { SingleSignOnContext } from './context.js';
import { beginSignIn, completeSignIn, useCallback } from './sign-in-with-provider.js';

/** Another setting of the operator is seen within a minute. */
const METHODS_CACHING = 'public, max-age=60';

type Names = 'session.methods' | 'session.startOidc' | 'session.finishOidc';

export function singleSignOnHandlers(ctx: SingleSignOnContext): Pick<Handlers<'auth'>, Names> {
  return {
    'session.methods': () => {
      const reply = item({ single_sign_on: ctx.identityProvider !== null });
      return Promise.resolve({ ...reply, headers: { 'Cache-Control': METHODS_CACHING } });
    },
    'session.startOidc': async ({ query }, response) => {
      const returnTo = localPath(query.return_to ?? CONSOLE_PATHS.home);
      if (returnTo === null)
        throw invalid({ return_to: [formatInvalid('return_to', 'be a path of this site, like /console')] });
      response.set(RETURN_TO_HEADER, returnTo);
      const { location, cookie } = await beginSignIn(ctx, returnTo);
      response.cookie(SIGN_IN_COOKIE, cookie, { ...COOKIE_FLAGS, maxAge: BINDING_LIFETIME_MS });
      return redirectTo(location);
    },
    'session.finishOidc': async ({ eventContext }, response) => {
      const { headers, originalUrl } = response.req;
      const search = searchOf(originalUrl);
      const cookie = readCookie(headers.cookie, SIGN_IN_COOKIE) ?? '';
      const binding = await useCallback(ctx, eventContext, { search, cookie });
      response.set(RETURN_TO_HEADER, binding.returnTo);
      const userAgent = headers['user-agent'] ?? null;
      const signedIn = await completeSignIn(ctx, eventContext, { search, binding, userAgent });
      response.clearCookie(SIGN_IN_COOKIE, COOKIE_FLAGS);
      setSessionCookie(response, signedIn);
      return redirectTo(binding.returnTo);
    },
  };
}

const redirectTo = (location: string): Reply => ({ headers: { Location: location } });

function searchOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}
