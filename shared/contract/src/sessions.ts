import { createHmac } from 'node:crypto';

/** `__Host-` makes browsers insist on Secure, Path=/ and no Domain (RFC 6265bis). */
export const SESSION_COOKIE = '__Host-waymark_session';
/** Binds a sign-in with an identity provider to the browser that has begun it. */
export const SIGN_IN_COOKIE = '__Host-waymark_sign_in';
export const CSRF_HEADER = 'x-csrf-token';

/** Returns the value of a cookie in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, value] = part.split('=', 2);
    if (key?.trim() === name && value) return value.trim();
  }
  return undefined;
}

/** Returns a token bound to the session; a page of another site can neither read nor derive it. */
export function csrfTokenOf(session: string): string {
  return createHmac('sha256', session).update('waymark csrf').digest('base64url');
}
