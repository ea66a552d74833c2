import { createHmac } from 'node:crypto';

/** `__Host-` makes browsers insist on Secure, Path=/ and no Domain (RFC 6265bis). */
export const SESSION_COOKIE = '__Host-waymark_session';
export const CSRF_HEADER = 'x-csrf-token';

/** Returns a token bound to the session; a page of another site can neither read nor derive it. */
export function csrfTokenOf(session: string): string {
  return createHmac('sha256', session).update('waymark csrf').digest('base64url');
}
