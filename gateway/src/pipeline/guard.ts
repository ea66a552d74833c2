import type { Request, RequestHandler, Response } from 'express';
import { workspaceSlug } from '@waymark/contract/common';
import { ANONYMOUS, type Identity } from '@waymark/contract/identity';
import type { RouteDefinition } from '@waymark/contract/route';
import { AppError } from '@waymark/kernel/errors';
import { checkAccess } from '@waymark/kernel/http/access';
import { currentContext } from '@waymark/kernel/process/request-context';
import { callerOf, countUnchecked, type Caller } from './admit.js';
import type { PipelineContext } from './context.js';
import { checkCsrf, checkSite } from './credential.js';
import { checkLimit, setLimitHeaders } from './rate-limit.js';

/** Authorizes a request and stores the caller's identity in `response.locals.identity`. */
export function guard(ctx: PipelineContext, route: RouteDefinition): RequestHandler {
  return async (request, response, next) => {
    response.locals['route'] = route.path;
    response.locals['workspace'] = slugIn(request);
    const caller = callerOf(response);
    if (mayUseSession(route) && caller.credential?.type === 'session') {
      response.locals['identity'] = await identifySession(ctx, { request, response });
    } else if (route.access.kind === 'public') {
      // Public routes skip auth, so a valid credential does not exempt the request from the limit of its address.
      countUnchecked(ctx, caller);
      checkSite(request);
      response.locals['identity'] = createIdentity(caller);
    } else {
      response.locals['identity'] = await identify(ctx, route, { request, response });
    }
    next();
  };
}

/**
 * Counts a request with a method that its path does not have like any other request of its credential or address; every
 * caller gets the same response.
 */
export function countOtherMethod(ctx: PipelineContext): RequestHandler {
  return async (request, response, next) => {
    const slug = slugIn(request);
    const authorization = await askAuth(ctx, response, slug);
    if (authorization?.outcome === 'authenticated' && authorization.limit) {
      setLimitHeaders(response, authorization.limit, policyOf(slug));
      checkLimit(response, authorization.limit);
    }
    next();
  };
}

async function identify(
  ctx: PipelineContext,
  route: RouteDefinition,
  { request, response }: { request: Request; response: Response },
): Promise<Identity> {
  const caller = callerOf(response);
  const slug = slugIn(request);
  const authorization = await askAuth(ctx, response, slug);
  if (authorization?.outcome !== 'authenticated') throw new AppError('unauthenticated', 'Unauthenticated.');
  const { actor, access, suspended, lacksSecondFactor, sessionId, limit } = authorization;
  if (limit) setLimitHeaders(response, limit, policyOf(slug));
  const identity = { ...createIdentity(caller), actor, workspace: access, session_id: sessionId };
  checkCsrf(request, caller.credential!);
  if (suspended !== null) throw new AppError('forbidden', `The workspace is suspended: ${suspended}`);
  if (lacksSecondFactor) throw secondFactorRequired();
  checkAccess(route, identity, slug);
  if (limit) checkLimit(response, limit);
  return identity;
}

const secondFactorRequired = () =>
  new AppError(
    'forbidden',
    'This workspace requires a second factor. Enable two-factor sign-in of your account first.',
    {
      details: { two_factor_required: true },
    },
  );

/** Whether a public route also takes the user of a signed-in browser. */
const mayUseSession = ({ access }: RouteDefinition): boolean => access.kind === 'public' && access.session === true;

/** Returns the identity of a signed-in browser; a browser whose session has ended is an anonymous caller. */
async function identifySession(
  ctx: PipelineContext,
  { request, response }: { request: Request; response: Response },
): Promise<Identity> {
  const caller = callerOf(response);
  const authorization = await askAuth(ctx, response, undefined);
  if (authorization?.outcome !== 'authenticated') {
    checkSite(request);
    return createIdentity(caller);
  }
  const { actor, sessionId, limit } = authorization;
  if (limit) setLimitHeaders(response, limit, policyOf(undefined));
  checkCsrf(request, caller.credential!);
  if (limit) checkLimit(response, limit);
  return { ...createIdentity(caller), actor, session_id: sessionId };
}

/**
 * Returns auth's response, or `null` for a caller without a credential. A refused request counts against its address: it costs auth as
 * much as an accepted one.
 */
async function askAuth(ctx: PipelineContext, response: Response, slug: string | undefined) {
  const { address, credential, hash } = callerOf(response);
  if (!credential) return null;
  const workspace = workspaceNamed(slug);
  const authorization = await ctx.authorizer.authorizeRequest({ credential, workspace, ip_address: address });
  if (isAccepted(authorization, workspace)) {
    ctx.acceptedCredentials.set(hash, true);
  } else {
    ctx.acceptedCredentials.delete(hash);
    ctx.unauthenticated.add(address ?? '');
  }
  return authorization;
}

type Authorization = Awaited<ReturnType<PipelineContext['authorizer']['authorizeRequest']>>;

function isAccepted(authorization: Authorization, workspace: string | null): boolean {
  if (authorization.outcome !== 'authenticated') return false;
  const { access, limit } = authorization;
  return limit ? limit.allowed : workspace === null || access !== null;
}

const slugIn = ({ params }: Request): string | undefined => params['workspace'] as string | undefined;
const policyOf = (slug: string | undefined) => (slug === undefined ? 'user' : 'workspace');

/** Text that is not a valid slug names no workspace, so auth has nothing to check or count. */
function workspaceNamed(slug: string | undefined): string | null {
  return slug !== undefined && workspaceSlug.safeParse(slug).success ? slug : null;
}

/** Returns the identity of an anonymous caller. */
function createIdentity({ address }: Caller): Identity {
  return {
    actor: ANONYMOUS,
    workspace: null,
    session_id: null,
    request_id: currentContext()!.requestId,
    ip_address: address,
  };
}
