import type { Express } from 'express';
import { AUTHORIZE_PATH, authorizeBatch } from '@waymark/contract/authorize';
import type { AuthContext } from '../context.js';
import { mountInternal } from '../internal-route.js';
import { authorize } from './authorize.js';

/** Concurrent batches; bounds the memory of pending batches when the database hangs. */
const BATCHES_MAX = 64;
/** A full batch of the longest credentials, with every character escaped. */
const BODY_LIMIT_BYTES = 512 * 1024;

/** Only for the gateway: to other callers the answer would reveal which tokens are valid. */
export function mountAuthorize(app: Express, ctx: AuthContext): void {
  mountInternal(app, ctx.config, {
    path: AUTHORIZE_PATH,
    message: authorizeBatch,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    atWorkMax: BATCHES_MAX,
    answer: async ({ questions }) => ({ answers: await authorize(ctx, questions) }),
  });
}
