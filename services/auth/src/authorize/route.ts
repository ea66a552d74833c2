import type { Express } from 'express';
import { AUTHORIZE_PATH, authorizeBatch } from '@waymark/contract/authorize';
import { mountInternalRoute, type InternalContext } from '../internal/internal-route.js';
import { authorize } from './authorize.js';
import type { AuthorizeContext } from './context.js';

/** Concurrent batches; bounds the memory of pending batches when the database hangs. */
const BATCHES_MAX = 64;
/** A full batch of the longest credentials, with every character escaped. */
const BODY_LIMIT_BYTES = 512 * 1024;

/** Only for the gateway: to other callers the response would reveal which tokens are valid. */
export function mountAuthorize(app: Express, ctx: AuthorizeContext & InternalContext): void {
  mountInternalRoute(app, ctx, {
    path: AUTHORIZE_PATH,
    message: authorizeBatch,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    concurrentMax: BATCHES_MAX,
    handle: async ({ questions }) => ({ answers: await authorize(ctx, questions) }),
  });
}
