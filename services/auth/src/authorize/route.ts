import express, { type Express, type RequestHandler } from 'express';
import {
  AUTHORIZE_PATH,
  INTERNAL_AUDIENCE,
  UNSERVED_PATH,
  authorizeBatch,
  unservedBatch,
} from '@waymark/contract/authorize';
import { AppError, unavailable } from '@waymark/kernel/errors';
import { IDENTITY_HEADER, verifyIdentity } from '@waymark/kernel/http/identity';
import { authorize } from './authorize.js';
import type { AuthorizeContext } from './context.js';

/** Concurrent batches; bounds the memory of pending batches when the database hangs. */
const BATCHES_MAX = 64;
/** A full batch of the longest credentials, with every character escaped. */
const BODY_LIMIT_BYTES = 512 * 1024;

interface RouteContext extends AuthorizeContext {
  config: AuthorizeContext['config'] & { IDENTITY_KEY: Parameters<typeof verifyIdentity>[0] };
}

/** Authenticates the gateway before it parses the message: to other callers the response would reveal which tokens are valid. */
export function mountAuthorize(app: Express, ctx: RouteContext): void {
  let batchCount = 0;
  const handleBatch: RequestHandler = async (request, response) => {
    const { questions } = authorizeBatch.parse(request.body);
    if (batchCount >= BATCHES_MAX) throw unavailable(new Error('too many concurrent batches'));
    batchCount += 1;
    try {
      response.json({ answers: await authorize(ctx, questions) });
    } finally {
      batchCount -= 1;
    }
  };
  const noteUnserved: RequestHandler = async (request, response) => {
    await ctx.requestLimit.noteUnserved(unservedBatch.parse(request.body).entries);
    response.json({});
  };
  const readMessage = [onlyGateway(ctx), express.json({ limit: BODY_LIMIT_BYTES, inflate: false })];
  app.post(AUTHORIZE_PATH, ...readMessage, handleBatch);
  app.post(UNSERVED_PATH, ...readMessage, noteUnserved);
}

function onlyGateway({ config }: Pick<RouteContext, 'config'>): RequestHandler {
  return (request, _response, next) => {
    const { identity } = verifyIdentity(config.IDENTITY_KEY, request.headers[IDENTITY_HEADER], {
      service: INTERNAL_AUDIENCE,
    });
    if (identity.actor.type !== 'system') throw new AppError('unauthenticated', 'Unauthenticated.');
    next();
  };
}
