import express, { type Express } from 'express';
import { AUTHORIZE_PATH, authorizeBatch, type AuthorizeQuestion } from '@waymark/shared/contract/authorize';
import { unavailable } from '@waymark/shared/kernel/errors';
import { IDENTITY_HEADER, verifyIdentity } from '@waymark/shared/kernel/identity';
import type { AuthContext } from '../context.js';
import { authorize } from './authorize.js';

/** Batches at work; a store that hangs must not fill the memory with what waits for it. */
const BATCHES_MAX = 64;
/** A full batch of the longest credentials, every character escaped. */
const BODY_LIMIT_BYTES = 512 * 1024;

/** Only who holds the gateway's key may ask: the answer would tell anybody else which tokens are good. */
export function mountAuthorize(app: Express, ctx: AuthContext): void {
  let batches = 0;
  const answerBatch = async (questions: AuthorizeQuestion[]) => {
    if (batches >= BATCHES_MAX) throw unavailable(new Error('too many batches at work'));
    batches += 1;
    try {
      return await authorize(ctx, questions);
    } finally {
      batches -= 1;
    }
  };
  app.post(AUTHORIZE_PATH, express.json({ limit: BODY_LIMIT_BYTES }), async (request, response) => {
    verifyIdentity(ctx.config.IDENTITY_PUBLIC_KEY, 'auth', request.headers[IDENTITY_HEADER]);
    const { questions } = authorizeBatch.parse(request.body);
    response.json({ answers: await answerBatch(questions) });
  });
}
