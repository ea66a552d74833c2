import express, { type Express } from 'express';
import { AUTHORIZE_PATH, authorizeQuestion } from '@waymark/shared/contract/authorize';
import { IDENTITY_HEADER, verifyIdentity } from '@waymark/shared/kernel/identity';
import type { AuthContext } from '../context.js';
import { authorize } from './authorize.js';

/** Only who holds the gateway's key may ask: the answer would tell anybody else which tokens are good. */
export function mountAuthorize(app: Express, ctx: AuthContext): void {
  app.post(AUTHORIZE_PATH, express.json(), async (request, response) => {
    verifyIdentity(ctx.config.IDENTITY_PUBLIC_KEY, 'auth', request.headers[IDENTITY_HEADER]);
    response.json(await authorize(ctx, authorizeQuestion.parse(request.body)));
  });
}
