import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { PipelineContext } from './context.js';
import { readCredential, type Credential } from './credential.js';

/** The client of a request, as far as the gateway knows it before it asks auth. */
export interface Caller {
  address: string | null;
  credential: Credential | null;
  /** Hash of the credential. */
  hash: string;
  /** The user of a credential that auth accepted in the last minutes. */
  knownUser: string | undefined;
}

export const callerOf = (response: Response): Caller => response.locals['caller'] as Caller;

/**
 * Counts every request without a recently accepted credential against its address, before any other work, also when its
 * path does not exist. `guard` refunds the request when auth accepts its credential.
 */
export function admit(ctx: PipelineContext): RequestHandler {
  return (request, response, next) => {
    const caller = readCaller(ctx, request);
    response.locals['caller'] = caller;
    if (caller.knownUser === undefined) countForAddress(ctx, caller);
    next();
  };
}

/**
 * Counts OPTIONS against its address, with a limit of its own: the preflights of an office's browsers neither use up the
 * limit of its other requests nor fail when that is exhausted. Preflights have no credential.
 */
export function admitOptions(ctx: Pick<PipelineContext, 'addresses' | 'optionsLimiter'>): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'OPTIONS') ctx.optionsLimiter.admitRequest(ctx.addresses.addressOf(request) ?? '');
    next();
  };
}

/**
 * Also counts requests with a known credential, on paths where the gateway asks no authorization and no limit of the
 * user applies.
 */
export function admitKnown(ctx: PipelineContext): RequestHandler {
  return (_request, response, next) => {
    countKnownCaller(ctx, callerOf(response));
    next();
  };
}

/** @throws AppError `rate_limit_exceeded` */
export function countKnownCaller(ctx: PipelineContext, caller: Caller): void {
  if (caller.knownUser !== undefined) countForAddress(ctx, caller);
}

/** @throws AppError `rate_limit_exceeded` */
function countForAddress(ctx: PipelineContext, { address }: Caller): void {
  if (address !== null) ctx.addresses.warnIfHidden(address);
  ctx.addressLimiter.admitRequest(address ?? '');
}

function readCaller(ctx: PipelineContext, request: Request): Caller {
  const credential = readCredential(request);
  const hash = credential ? hashCredential(credential) : '';
  return {
    address: ctx.addresses.addressOf(request),
    credential,
    hash,
    knownUser: credential ? ctx.knownCredentials.findUser(hash) : undefined,
  };
}

const hashCredential = (credential: Credential): string =>
  hash('sha256', credential.type === 'bearer' ? credential.token : credential.session, 'base64');
