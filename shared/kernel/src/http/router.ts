import { Router, type RequestHandler } from 'express';
import { isServedIn, prefixesOf, type RouteDefinition } from '@waymark/contract/route';
import type { Deployment } from '@waymark/contract/deployments';
import { AppError } from '../errors.js';
import { noRoute } from './no-route.js';

/** The rows of the route table that a process serves in this deployment. */
interface ServedRoutes<Name extends string> {
  routes: Record<Name, RouteDefinition>;
  deployment: Deployment;
}

interface RouteHooks {
  /** Handles every request to a path of the table, with any method. */
  onPath?: RequestHandler;
  /** Handles requests to a path of the table with a method that the path does not have. */
  onOtherMethod?: RequestHandler;
  /** Handles requests to any other path. */
  onOtherPath?: RequestHandler;
}

/**
 * Mounts rows of the route table under every prefix they are served on. A path that exists with another method
 * answers 405 with `Allow`; any other path 404.
 */
export function routeTable<Name extends string>(
  served: ServedRoutes<Name>,
  handlersOf: (name: Name, route: RouteDefinition) => RequestHandler[],
  { onPath = skip, onOtherMethod = skip, onOtherPath = skip }: RouteHooks = {},
): RequestHandler {
  // A router compares a path with each of its routes: one for each number of segments has a few of them.
  const bySegments = new Map<number, Router>();
  const byPath = rowsByPath(served);
  for (const [path, rows] of byPath) {
    const count = segmentCount(path);
    const candidates = bySegments.get(count) ?? Router({ caseSensitive: true, strict: true });
    bySegments.set(count, candidates);
    const route = candidates.route(path).all(onPath);
    for (const [name, row] of rows) {
      route[row.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'](...handlersOf(name, row));
    }
    route.all(leaveOtherWords, onOtherMethod, refuseMethod(allowedMethods(rows)));
  }
  const paths = byPath.map(([path]) => path);
  const otherPaths = Router().use(onOtherPath, (request) => {
    throw noRoute(request, paths);
  });
  return (request, response, next) => {
    const refusePath = (error?: unknown) => (error ? next(error) : otherPaths(request, response, next));
    const candidates = bySegments.get(segmentCount(request.path));
    if (candidates) candidates(request, response, refusePath);
    else refusePath();
  };
}

/** `lnk_…`, `att_…` */
const ID = /^[a-z]+_/;

/** A word in place of an id, such as `import` in the deployment that has no imports, is no path that has other methods. */
const leaveOtherWords: RequestHandler = ({ params: { id } }, _response, next) =>
  next(typeof id === 'string' && !ID.test(id) ? 'route' : undefined);

const segmentCount = (path: string): number => path.split('/').length;

/** Answers 405 to a method that a path does not have. */
export function refuseMethod(allow: string): RequestHandler {
  return ({ method }) => {
    const message = `The method ${method} is not allowed here. Allowed: ${allow}.`;
    throw new AppError('method_not_allowed', message, { headers: { Allow: allow } });
  };
}

/** Answers OPTIONS of a path. */
export function answerMethods(allow: string): RequestHandler {
  return (_request, response) => void response.status(204).set('Allow', allow).end();
}

const skip: RequestHandler = (_request, _response, next) => next();

/** Answers OPTIONS for the paths of the table with `Allow`; leaves every other request to the next handler. */
export function optionsTable<Name extends string>(served: ServedRoutes<Name>): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, rows] of rowsByPath(served)) {
    router.options(path, answerMethods(allowedMethods(rows)));
  }
  // The router would compare the path of any request with every path of the table.
  return (request, response, next) => (request.method === 'OPTIONS' ? router(request, response, next) : next());
}

function allowedMethods(rows: [name: string, row: RouteDefinition][]): string {
  const methods = rows.map(([, { method }]) => method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
}

function rowsByPath<Name extends string>({ routes, deployment }: ServedRoutes<Name>) {
  const byPath = new Map<string, [Name, RouteDefinition][]>();
  for (const [name, route] of Object.entries(routes) as [Name, RouteDefinition][]) {
    if (!isServedIn(route, deployment)) continue;
    for (const prefix of prefixesOf(route)) {
      const path = prefix + route.path.replace(/\{(\w+)\}/g, ':$1');
      byPath.set(path, [...(byPath.get(path) ?? []), [name, route]]);
    }
  }
  // A fixed segment wins over a parameter in the same place.
  return [...byPath].sort(([a], [b]) => specificity(a, b));
}

function specificity(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const difference = Number(left[i]!.startsWith(':')) - Number(right[i]!.startsWith(':'));
    if (difference !== 0) return difference;
  }
  return 0;
}
