import type { RequestHandler } from 'express';
import { CSRF_HEADER, csrfTokenOf } from '@waymark/contract/sessions';
import { callerOf } from './admit.js';

/** Tells the CSRF token to a page that was reloaded: no script can read the cookie that the token is derived from. */
export const sendCsrfToken: RequestHandler = (_request, response, next) => {
  const { credential } = callerOf(response);
  if (credential?.type === 'session') response.setHeader(CSRF_HEADER, csrfTokenOf(credential.session));
  next();
};
