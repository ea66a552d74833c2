import type { Request, RequestHandler, Response } from 'express';
import type { AuthorizeResponse } from '@waymark/contract/authorize';
import { workspaceSlug } from '@waymark/contract/common';
import { ANONYMOUS, type Identity } from '@waymark/contract/identity';
import type { RouteDefinition } from '@waymark/contract/route';
import { AppError, tooManyRequests } from '@waymark/kernel/errors';
import { checkAccess } from '@waymark/kernel/http/access';
import { currentContext } from '@waymark/kernel/process/request-context';
import { WAITING_PER_CALLER } from '../authorize/question-queue.js';
import type { GatewayContext } from '../context.js';
import { holdersOfAddress, type Holder } from '../limits/shares.js';
import { callerOf, takeForKnown, type Caller } from './admit.js';
import { checkCsrf, checkSite, type Credential } from './credential.js';
import { checkLimit, setLimitHeaders } from './rate-limit.js';

type Authenticated = Extract<AuthorizeResponse, { outcome: 'authenticated' }>;

const unauthenticated = () => new AppError('unauthenticated', 'Unauthenticated.');

/** Authorizes a request and stores the caller's identity in `response.locals.identity`. */
export function guard(ctx: GatewayContext, route: RouteDefinition): RequestHandler {
  return async (request, response, next) => {
    response.locals['route'] = route.path;
    const slug = request.params['workspace'] as string | undefined;
    response.locals['workspace'] = slug;
    const caller = callerOf(response);
    if (route.access.kind === 'public') {
      // Public routes skip auth, so a valid credential does not exempt the request from the limit of its address.
      takeForKnown(ctx, caller);
      checkSite(request);
      response.locals['identity'] = anonymous(caller);
    } else {
      response.locals['identity'] = await identify(ctx, route, slug, request, response);
    }
    next();
  };
}

/**
 * Counts a request with a method that its path does not have like any other request of its credential or address; every
 * caller gets the same answer.
 */
export function countOtherMethod(ctx: GatewayContext): RequestHandler {
  return async (request, response, next) => {
    const slug = request.params['workspace'] as string | undefined;
    const caller = callerOf(response);
    const answer = caller.credential && (await askAuth(ctx, caller, caller.credential, workspaceOf(slug)));
    if (answer?.outcome === 'authenticated') applyLimit(answer, slug, response);
    next();
  };
}

function applyLimit({ limit }: Authenticated, slug: string | undefined, response: Response): void {
  if (!limit) return;
  setLimitHeaders(response, limit, slug === undefined ? 'user' : 'workspace');
  checkLimit(limit);
}

async function identify(
  ctx: GatewayContext,
  route: RouteDefinition,
  slug: string | undefined,
  request: Request,
  response: Response,
): Promise<Identity> {
  const caller = callerOf(response);
  const { credential } = caller;
  if (!credential) throw unauthenticated();
  const answer = await askAuth(ctx, caller, credential, workspaceOf(slug));
  if (answer.outcome === 'unauthenticated') throw unauthenticated();
  if (answer.limit) setLimitHeaders(response, answer.limit, slug === undefined ? 'user' : 'workspace');
  const identity: Identity = {
    ...anonymous(caller),
    actor: answer.actor,
    workspace: answer.access,
    session_id: answer.sessionId,
  };
  checkCsrf(request, credential);
  checkAccess(route, identity, slug);
  if (answer.limit) checkLimit(answer.limit);
  return identity;
}

/** Keeps the count of the address: a request counts unless auth accepts its credential or fails to answer. */
async function askAuth(ctx: GatewayContext, caller: Caller, credential: Credential, workspace: string | null) {
  const { address, hash, knownUser } = caller;
  const isRemembered = knownUser !== undefined;
  if (isRemembered) checkRefused(ctx, knownUser);
  const giveBack = () => isRemembered || ctx.addressLimiter.giveBack(address ?? '');
  const answer = await ctx.auth
    .ask({ credential, workspace, ip_address: address }, holdersOf(caller))
    .catch((error: unknown) => {
      giveBack();
      throw error;
    });
  if (answer.outcome === 'authenticated') {
    giveBack();
    const user = answer.actor.id ?? '';
    ctx.knownCredentials.remember(hash, user);
    if (isRefused(answer, workspace)) ctx.refusedRequests.add(user);
  } else if (isRemembered) {
    ctx.knownCredentials.forget(hash);
    ctx.addressLimiter.count(address ?? '');
  }
  return answer;
}

/** A refused request costs auth and the database as much as an accepted one, and no other limit counts it. */
const isRefused = ({ access, limit }: Authenticated, workspace: string | null): boolean =>
  limit ? !limit.allowed : workspace !== null && access === null;

/** @throws AppError `rate_limit_exceeded` instead of asking auth again */
function checkRefused({ refusedRequests }: GatewayContext, user: string): void {
  const seconds = refusedRequests.secondsUntilRoom(user);
  if (seconds > 0) throw tooManyRequests('Too many requests that were refused. Try again later.', seconds);
}

/** A user has one share for all credentials; credentials that auth has not accepted use the share of their address. */
const holdersOf = ({ address, knownUser }: Caller): Holder[] =>
  knownUser === undefined
    ? holdersOfAddress(address ?? '', WAITING_PER_CALLER / 2)
    : [{ key: `user ${knownUser}`, max: WAITING_PER_CALLER }];

/** Text that is not a valid slug names no workspace, so auth has nothing to check or count. */
function workspaceOf(slug: string | undefined): string | null {
  return slug !== undefined && workspaceSlug.safeParse(slug).success ? slug : null;
}

function anonymous({ address }: Caller): Identity {
  return {
    actor: ANONYMOUS,
    workspace: null,
    session_id: null,
    request_id: currentContext()!.requestId,
    ip_address: address,
  };
}
