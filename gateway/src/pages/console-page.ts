import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router, type Request, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Deployment } from '@waymark/contract/deployments';
import { isServedIn, type RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { WEBHOOK_EVENT_TYPES } from '@waymark/contract/webhook-events';
import { notFound } from '@waymark/kernel/errors';
import { chooseCoding, encodeText, PUBLIC_FOLDER, servePage, staticFiles } from './static-files.js';

const FOLDER = join(PUBLIC_FOLDER, 'console');
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Serves the console below `/console`: its files, and one page for every other path, since the page routes itself. */
export function consolePage(deployment: Deployment): Router {
  const page = encodeText(renderPage(deployment));
  const router = Router();
  router.use(
    helmet.contentSecurityPolicy({
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        formAction: ["'self'"],
        requireTrustedTypesFor: ["'script'"],
      },
    }),
    helmet.crossOriginResourcePolicy({ policy: 'same-origin' }),
  );
  router.use('/assets', staticFiles(join(FOLDER, 'assets'), IMMUTABLE), () => {
    throw notFound('The console has no such file.');
  });
  servePage(router, /.*/, (request, response) => {
    response
      .set('Cache-Control', 'no-cache')
      .type('html')
      .send(chooseCoding(page, request, response));
  });
  return router;
}

/** Whether the client shows pages: a browser that navigates, and no client of the API. */
export const acceptsPages = (request: Request): boolean => request.get('accept')?.includes('text/html') ?? false;

/** Sends browsers that open the origin to the console; every other client gets the 404 of an unknown path. */
export const openConsole: RequestHandler = (request, response, next) => {
  const isPage = request.path === '/' && ['GET', 'HEAD'].includes(request.method);
  if (!isPage || !acceptsPages(request)) return next();
  response.vary('Accept').redirect(302, '/console');
};

/** The page with the facts of this deployment: it knows which actions a role has before it asks for anything. */
function renderPage(deployment: Deployment): string {
  const routes = (Object.entries(ROUTES) as [string, RouteDefinition][]).filter(([, route]) =>
    isServedIn(route, deployment),
  );
  const roles = Object.fromEntries(
    routes.map(([name, { access }]) => [name, access.kind === 'workspace' ? access.roles : true]),
  );
  const config = JSON.stringify({ deployment, routes: roles, event_types: WEBHOOK_EVENT_TYPES[deployment] });
  const attribute = config.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return readFileSync(join(FOLDER, 'index.html'), 'utf8').replace('%CONFIG%', () => attribute);
}
