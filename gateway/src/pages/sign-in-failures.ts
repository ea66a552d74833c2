import type { Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';
import { CONSOLE_PATHS } from '@waymark/contract/console-paths';
import { V1_PREFIX } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { RETURN_TO_HEADER, signInFailureOf } from '@waymark/contract/sign-in-failures';
import { acceptsPages } from './console-page.js';

const PATHS: ReadonlySet<string> = new Set(
  [ROUTES['session.startOidc'].path, ROUTES['session.finishOidc'].path].map((path) => V1_PREFIX + path),
);

/**
 * Sends a person whose single sign-on fails to the sign-in page of the console, with the reason in the address. Other
 * clients get the error, whether it comes from auth or from the gateway.
 * @param isConsoleServed if false, browsers get the error as well
 */
export function showSignInFailures(isConsoleServed: boolean): RequestHandler {
  return (request, response, next) => {
    if (PATHS.has(request.path) && ['GET', 'HEAD'].includes(request.method)) {
      response.vary('Accept');
      onHeaders(response, () => showFailure({ request, response, isConsoleServed }));
    }
    next();
  };
}

function showFailure({ request, response, isConsoleServed }: Shown): void {
  const returnTo = response.getHeader(RETURN_TO_HEADER);
  response.removeHeader(RETURN_TO_HEADER);
  if (response.statusCode < 400 || !isConsoleServed || !acceptsPages(request)) return;
  const query = new URLSearchParams({ error: signInFailureOf(response.statusCode) });
  if (typeof returnTo === 'string') query.set('return_to', returnTo);
  response.statusCode = 302;
  response.statusMessage = 'Found';
  response.setHeader('Location', `${CONSOLE_PATHS.sign_in}?${query.toString()}`);
}

interface Shown {
  request: Request;
  response: Response;
  isConsoleServed: boolean;
}
