import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { workspaceSlug } from '@waymark/shared/contract/common';
import { ANONYMOUS, type Identity } from '@waymark/shared/contract/identity';
import type { RouteDefinition } from '@waymark/shared/contract/route';
import { AppError } from '@waymark/shared/kernel/errors';
import { checkAccess } from '@waymark/shared/kernel/http/access';
import { currentContext } from '@waymark/shared/kernel/request-context';
import type { GatewayContext } from '../context.js';
import { checkCsrf, checkSite, readCredential } from './credential.js';
import { checkLimit, setLimitHeaders } from './rate-limit.js';

const unauthenticated = () => new AppError('unauthenticated', 'Unauthenticated.');

/** Lets a request through to its service as somebody: who that is stands in `response.locals.identity`. */
export function guard(ctx: GatewayContext, route: RouteDefinition): RequestHandler {
  return async (request, response, next) => {
    response.locals['route'] = route.path;
    const slug = request.params['workspace'] as string | undefined;
    response.locals['workspace'] = slug;
    if (route.access.kind === 'public') checkSite(request);
    response.locals['identity'] =
      route.access.kind === 'public' ? anonymous(request) : await identify(ctx, route, slug, request, response);
    next();
  };
}

async function identify(
  ctx: GatewayContext,
  route: RouteDefinition,
  slug: string | undefined,
  request: Request,
  response: Response,
): Promise<Identity> {
  const credential = readCredential(request);
  if (!credential) throw unauthenticated();
  if (credential.type === 'bearer') ctx.badBearers.check(request.ip);
  const answer = await ctx.auth.ask({ credential, workspace: workspaceOf(slug), ip_address: addressOf(request) });
  if (answer.outcome === 'unauthenticated') {
    if (credential.type === 'bearer') ctx.badBearers.count(request.ip);
    throw unauthenticated();
  }
  if (answer.limit) setLimitHeaders(response, answer.limit);
  if (route.access.kind === 'session' && answer.sessionId === null) {
    throw new AppError('forbidden', 'This is for signed-in browsers only.');
  }
  checkCsrf(request, credential);
  const identity: Identity = {
    ...anonymous(request),
    actor: answer.actor,
    workspace: answer.access,
    session_id: answer.sessionId,
  };
  checkAccess(route, identity, slug);
  if (answer.limit) checkLimit(answer.limit);
  return identity;
}

/** What cannot be a slug is no workspace's: there is nothing to ask, and nothing to count. */
function workspaceOf(slug: string | undefined): string | null {
  return slug !== undefined && workspaceSlug.safeParse(slug).success ? slug : null;
}

function anonymous(request: Request): Identity {
  return {
    actor: ANONYMOUS,
    workspace: null,
    session_id: null,
    request_id: currentContext()!.requestId,
    ip_address: addressOf(request),
  };
}

/** What a trusted proxy forwards may still be anything. */
function addressOf(request: Request): string | null {
  return isIP(request.ip ?? '') ? request.ip! : (request.socket.remoteAddress ?? null);
}
