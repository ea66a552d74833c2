import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { RETURN_TO_MAX } from '@waymark/contract/users';

/** The values of one sign-in that only this browser can complete; the provider sees the first two, and a hash of the third. */
export interface BrowserBinding {
  state: string;
  nonce: string;
  codeVerifier: string;
  returnTo: string;
}

const SECRET_BYTES = 32;
export const BINDING_LIFETIME_MS = 10 * 60_000;
const COOKIE_FORM = /^([\w-]{43})\.(\d{13})\.([\w-]{0,1024})$/;

/**
 * Begins a sign-in. Everything is derived from one random secret, which only the browser keeps, in its cookie: a callback in
 * another browser has no state that fits (login CSRF), and nothing is stored here.
 * @returns the cookie's value and the values derived from it
 */
export function createBinding(returnTo: string, now: Date): { cookie: string; binding: BrowserBinding } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const cookie = `${secret}.${now.getTime()}.${Buffer.from(returnTo).toString('base64url')}`;
  return { cookie, binding: deriveBinding(cookie, secret, returnTo) };
}

/** Returns the values of a sign-in that this browser has begun, or `null` if it has begun none, or too long ago. */
export function readBinding(cookie: string, state: string, now: Date): BrowserBinding | null {
  const [, secret, startedAt, returnTo] = COOKIE_FORM.exec(cookie) ?? [];
  if (secret === undefined) return null;
  const age = now.getTime() - Number(startedAt);
  if (age < 0 || age > BINDING_LIFETIME_MS) return null;
  const binding = deriveBinding(cookie, secret, Buffer.from(returnTo!, 'base64url').toString());
  return isSame(state, binding.state) ? binding : null;
}

/** The whole cookie is part of the state, so that a changed time or address does not fit it. */
function deriveBinding(cookie: string, secret: string, returnTo: string): BrowserBinding {
  const derive = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return { state: derive(`state ${cookie}`), nonce: derive('nonce'), codeVerifier: derive('code verifier'), returnTo };
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const BASE = 'http://local.invalid';

/**
 * Returns the normalized path, or `null` for an address that a browser could read as one of another site: `//host`,
 * `/\host`, or anything with a scheme or a control character; and for one that is too long once it is normalized.
 */
export function localPath(text: string): string | null {
  if (!text.startsWith('/') || /[\\\p{Cc}]/u.test(text) || !URL.canParse(text, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  // `/./` before a second slash leads to `//host` once it is normalized.
  const path = pathname + search + hash;
  return origin === BASE && !pathname.startsWith('//') && path.length <= RETURN_TO_MAX ? path : null;
}
