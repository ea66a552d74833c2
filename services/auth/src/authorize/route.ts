import type { Express } from 'express';
import { AUTHORIZE_PATH, authorizeBatch } from '@waymark/shared/contract/authorize';
import type { AuthContext } from '../context.js';
import { mountInternal } from '../internal-route.js';
import { authorize } from './authorize.js';

/** Batches at work; a store that hangs must not fill the memory with what waits for it. */
const BATCHES_MAX = 64;
/** A full batch of the longest credentials, every character escaped. */
const BODY_LIMIT_BYTES = 512 * 1024;

/** The answer would tell anybody but the gateway which tokens are good. */
export function mountAuthorize(app: Express, ctx: AuthContext): void {
  mountInternal(app, ctx.config, {
    path: AUTHORIZE_PATH,
    message: authorizeBatch,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    atWorkMax: BATCHES_MAX,
    answer: async ({ questions }) => ({ answers: await authorize(ctx, questions) }),
  });
}
