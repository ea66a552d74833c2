import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { GatewayContext } from '../context.js';
import { readCredential, type Credential } from './credential.js';

/** A request's client, as far as the gateway knows it before it asks auth. */
export interface Caller {
  address: string | null;
  credential: Credential | null;
  /** Of the credential. */
  hash: string;
  /** The user of a credential that auth has accepted in the last minutes. */
  knownUser: string | undefined;
}

export const callerOf = (response: Response): Caller => response.locals['caller'] as Caller;

/**
 * Counts every request that carries no credential that auth has accepted lately, before anything else is done for it: also
 * one for a path that does not exist. `guard` gives back what turns out to carry a good credential.
 */
export function admit(ctx: GatewayContext): RequestHandler {
  return (request, response, next) => {
    const caller = readCaller(ctx, request);
    response.locals['caller'] = caller;
    if (caller.knownUser === undefined) takeForAddress(ctx, caller);
    next();
  };
}

/** Counts also a request with a good credential, where auth is not asked about it and no limit of its user counts it. */
export function admitKnown(ctx: GatewayContext): RequestHandler {
  return (_request, response, next) => {
    takeForKnown(ctx, callerOf(response));
    next();
  };
}

/** @throws AppError `rate_limit_exceeded` */
export function takeForKnown(ctx: GatewayContext, caller: Caller): void {
  if (caller.knownUser !== undefined) takeForAddress(ctx, caller);
}

/** @throws AppError `rate_limit_exceeded` */
function takeForAddress(ctx: GatewayContext, { address }: Caller): void {
  if (address !== null) ctx.addresses.checkHidden(address);
  ctx.addressLimiter.take(address ?? '');
}

function readCaller(ctx: GatewayContext, request: Request): Caller {
  const credential = readCredential(request);
  const hash = credential ? hashOf(credential) : '';
  return {
    address: ctx.addresses.of(request),
    credential,
    hash,
    knownUser: credential ? ctx.knownCredentials.userOf(hash) : undefined,
  };
}

const hashOf = (credential: Credential): string =>
  createHash('sha256')
    .update(credential.type === 'bearer' ? credential.token : credential.session)
    .digest('base64');
