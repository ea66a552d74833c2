import express, { type Express, type RequestHandler } from 'express';
import type { z } from 'zod';
import { INTERNAL_AUDIENCE } from '@waymark/contract/authorize';
import { AppError, unavailable } from '@waymark/kernel/errors';
import { IDENTITY_HEADER, verifyIdentity } from '@waymark/kernel/http/identity';

export interface InternalContext {
  config: { IDENTITY_PUBLIC_KEY: Parameters<typeof verifyIdentity>[0] };
}

interface InternalRoute<M extends z.ZodType> {
  path: string;
  message: M;
  bodyLimitBytes: number;
  /** Messages handled at the same time; further ones get 503. */
  concurrentMax: number;
  handle: (message: z.output<M>) => Promise<object>;
}

/** Mounts a route for the gateway only, and authenticates the gateway before it parses the message. */
export function mountInternalRoute<M extends z.ZodType>(
  app: Express,
  ctx: InternalContext,
  { path, message, bodyLimitBytes, concurrentMax, handle }: InternalRoute<M>,
): void {
  let runningCount = 0;
  const handleRequest: RequestHandler = async (request, response) => {
    const parsed = message.parse(request.body);
    if (runningCount >= concurrentMax) throw unavailable(new Error(`too many concurrent messages for ${path}`));
    runningCount += 1;
    try {
      response.json(await handle(parsed));
    } finally {
      runningCount -= 1;
    }
  };
  app.post(path, onlyGateway(ctx), express.json({ limit: bodyLimitBytes, inflate: false }), handleRequest);
}

function onlyGateway({ config }: InternalContext): RequestHandler {
  return (request, _response, next) => {
    const { identity } = verifyIdentity(config.IDENTITY_PUBLIC_KEY, request.headers[IDENTITY_HEADER], {
      service: INTERNAL_AUDIENCE,
    });
    if (identity.actor.type !== 'system') throw new AppError('unauthenticated', 'Unauthenticated.');
    next();
  };
}
