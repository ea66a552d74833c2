import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { tooManyRequests } from '@waymark/kernel/errors';
import type { NetworkBuckets } from '@waymark/kernel/limits/network-buckets';
import type { PipelineContext } from './context.js';
import { readCredential, type Credential } from './credential.js';

/** The client of a request, as far as the gateway knows it before it asks auth. */
export interface Caller {
  address: string | null;
  credential: Credential | null;
  /** Hash of the credential. */
  hash: string;
}

export const callerOf = (response: Response): Caller => response.locals['caller'] as Caller;

/**
 * Counts a request without a credential against its address, before any other work, also when its path does not exist. When the
 * address has reached its limit, only credentials whose latest request was accepted are let through.
 */
export function admit(ctx: PipelineContext): RequestHandler {
  return (request, response, next) => {
    const caller = readCaller(ctx, request);
    response.locals['caller'] = caller;
    if (caller.credential === null) countForAddress(ctx, caller);
    else if (!ctx.acceptedCredentials.has(caller.hash)) checkAddress(ctx, caller);
    next();
  };
}

/**
 * Counts OPTIONS against its address, with a limit of its own: the preflights of an office's browsers neither use up the
 * limit of its other requests nor fail when that is exhausted. Preflights have no credential.
 */
export function admitOptions({ addresses, preflights }: PipelineContext): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'OPTIONS') addTo(preflights, addresses.addressOf(request) ?? '');
    next();
  };
}

/** Counts requests with a credential too, on paths where auth is not asked about it. */
export function countWithCredential(ctx: PipelineContext): RequestHandler {
  return (_request, response, next) => {
    countUnchecked(ctx, callerOf(response));
    next();
  };
}

/** @throws AppError `rate_limit_exceeded` */
export function countUnchecked(ctx: PipelineContext, caller: Caller): void {
  if (caller.credential !== null) countForAddress(ctx, caller);
}

/** @throws AppError `rate_limit_exceeded` */
function countForAddress(ctx: PipelineContext, { address }: Caller): void {
  if (address !== null) ctx.addresses.warnIfHidden(address);
  addTo(ctx.unauthenticated, address ?? '');
}

/** @throws AppError `rate_limit_exceeded` */
function addTo(buckets: NetworkBuckets, address: string): void {
  if (!buckets.add(address)) throw tooManyFrom(buckets, address);
}

/** @throws AppError `rate_limit_exceeded` */
function checkAddress({ unauthenticated }: PipelineContext, { address }: Caller): void {
  if (unauthenticated.isFull(address ?? '')) throw tooManyFrom(unauthenticated, address ?? '');
}

const tooManyFrom = (buckets: NetworkBuckets, address: string) =>
  tooManyRequests('Too many requests from this address. Try again later.', buckets.secondsUntilRoom(address));

function readCaller({ addresses }: PipelineContext, request: Request): Caller {
  const credential = readCredential(request);
  return { address: addresses.addressOf(request), credential, hash: credential ? hashCredential(credential) : '' };
}

const hashCredential = (credential: Credential): string =>
  hash('sha256', credential.type === 'bearer' ? credential.token : credential.session, 'base64');
