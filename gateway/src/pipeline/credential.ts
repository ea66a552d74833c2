import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { CREDENTIAL_MAX, type AuthorizeRequest } from '@waymark/contract/authorize';
import { CSRF_HEADER, csrfTokenOf, readCookie, SESSION_COOKIE } from '@waymark/contract/sessions';
import { AppError } from '@waymark/kernel/errors';

export type Credential = AuthorizeRequest['credential'];

/**
 * Reads the bearer token, else the session cookie; in a request with both, the token counts and the cookie is ignored.
 */
export function readCredential(request: Request): Credential | null {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    return isPossibleSecret(token) ? { type: 'bearer', token } : null;
  }
  const session = readCookie(request.headers.cookie, SESSION_COOKIE);
  return isPossibleSecret(session) ? { type: 'session', session } : null;
}

/**
 * Browsers attach the cookie to requests from other sites too, so a change also needs the session's CSRF token.
 * @throws AppError `forbidden`
 */
export function checkCsrf(request: Request, credential: Credential): void {
  if (credential.type !== 'session' || isSafe(request)) return;
  checkSite(request);
  if (!isSame(request.get(CSRF_HEADER) ?? '', csrfTokenOf(credential.session))) {
    throw new AppError('forbidden', 'The CSRF token is missing or wrong.');
  }
}

/**
 * Prevents login CSRF: a page of another site must not sign the browser in to an account of its choice.
 * @throws AppError `forbidden`
 */
export function checkSite(request: Request): void {
  if (isSafe(request) || isOwnPage(request)) return;
  throw new AppError('forbidden', 'Cross-site requests are not allowed.');
}

/** Older browsers only send `Origin`; a client that sends neither header is not a browser. */
function isOwnPage(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.get('origin');
  return origin === undefined || origin.replace(/^https?:\/\//, '') === request.host;
}

const isSafe = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

function isPossibleSecret(secret: string | undefined): secret is string {
  return secret !== undefined && secret.length <= CREDENTIAL_MAX;
}

function isSame(received: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(received), digest(expected));
}
