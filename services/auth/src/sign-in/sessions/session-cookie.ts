import type { Response } from 'express';
import { SESSION_COOKIE } from '@waymark/contract/sessions';

export const COOKIE_FLAGS = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const;

export function setSessionCookie(response: Response, session: { plaintext: string; expiresAt: Date }): void {
  response.cookie(SESSION_COOKIE, session.plaintext, { ...COOKIE_FLAGS, expires: session.expiresAt });
}
