import express, { type Express, type RequestHandler } from 'express';
import type { z } from 'zod';
import { INTERNAL_AUDIENCE } from '@waymark/contract/authorize';
import { AppError, unavailable } from '@waymark/kernel/errors';
import { IDENTITY_HEADER, verifyIdentity } from '@waymark/kernel/http/identity';
import type { AuthConfig } from './config.js';

interface InternalRoute<M extends z.ZodType> {
  path: string;
  message: M;
  bodyLimitBytes: number;
  /** Concurrent messages; further ones get 503. */
  atWorkMax: number;
  answer: (message: z.output<M>) => Promise<object>;
}

/** Mounts a route for the gateway only, and authenticates the gateway before it parses the message. */
export function mountInternal<M extends z.ZodType>(
  app: Express,
  config: Pick<AuthConfig, 'IDENTITY_PUBLIC_KEY'>,
  { path, message, bodyLimitBytes, atWorkMax, answer }: InternalRoute<M>,
): void {
  let atWork = 0;
  const handle: RequestHandler = async (request, response) => {
    const parsed = message.parse(request.body);
    if (atWork >= atWorkMax) throw unavailable(new Error(`too many messages at work at ${path}`));
    atWork += 1;
    try {
      response.json(await answer(parsed));
    } finally {
      atWork -= 1;
    }
  };
  app.post(path, onlyGateway(config), express.json({ limit: bodyLimitBytes, inflate: false }), handle);
}

function onlyGateway({ IDENTITY_PUBLIC_KEY }: Pick<AuthConfig, 'IDENTITY_PUBLIC_KEY'>): RequestHandler {
  return (request, _response, next) => {
    const { actor } = verifyIdentity(IDENTITY_PUBLIC_KEY, INTERNAL_AUDIENCE, request.headers[IDENTITY_HEADER]);
    if (actor.type !== 'system') throw new AppError('unauthenticated', 'Unauthenticated.');
    next();
  };
}
