import type { z } from 'zod';
import type { Deployment } from './deployments.js';
import { REQUIRED_PLANS, type Entitlement, type PlanName } from './plans.js';
import type { Ability, Role } from './roles.js';

export type ServiceName = 'auth' | 'resource' | 'analytics' | 'webhook' | 'domain' | 'audit';
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The callers that a route admits. */
export type Access =
  /** Everyone; with `session` also as the user of a signed-in browser. */
  | { kind: 'public'; session?: true }
  /** A signed-in browser. */
  | { kind: 'session' }
  /** Any valid credential. */
  | { kind: 'user' }
  /** A member with this ability and one of these roles, on a plan with this entitlement; `sessionOnly`: by no token. */
  | { kind: 'workspace'; ability: Ability; roles: readonly Role[]; entitlement?: Entitlement; sessionOnly?: true };

/** One row of the route table: the only place where a route is declared. */
export interface RouteDefinition {
  method: Method;
  /** Below the version prefix, e.g. `/workspaces/{workspace}/links/{id}`. */
  path: string;
  /** `v1` only, or also the unversioned twin (the default). */
  versions?: readonly ['v1'];
  deployments?: readonly Deployment[];
  /** The service that answers it; `gateway`: the gateway itself. */
  service: ServiceName | 'gateway';
  access: Access;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Bytes a body may have, compressed or not; see `bodyLimitOf` for routes without it. */
  bodyLimitBytes?: number;
  /** The handler receives the bytes of the body and parses them off the event loop; `body` documents their schema. */
  rawBody?: true;
  /** Cookies that the service reads; the gateway forwards no others. */
  cookies?: readonly string[];
  /** Takes an `Idempotency-Key`. `secret`: the answer has a secret, which is not kept; a repeated request gets 409. */
  idempotent?: true | 'secret';
  response: {
    /** 302: the answer sends a browser on to its `Location`. */
    status: 200 | 201 | 202 | 204 | 302;
    schema?: z.ZodType;
    unversionedSchema?: z.ZodType;
    /** Media types of a body that is not JSON; several where the caller has a choice. */
    contentTypes?: readonly string[];
  };
}

/** Returns the plan that a caller needs for routes with this entitlement. */
export const requiredPlan = (entitlement: Entitlement): PlanName => REQUIRED_PLANS[entitlement];

export const V1_PREFIX = '/api/v1';
export const UNVERSIONED_PREFIX = '/api';

/** Fits the largest link: every field as long as it may be, and each of its characters escaped. */
const BODY_LIMIT_BYTES = 64 * 1024;
/** For unauthenticated callers; fits the longest e-mail address and password. */
const PUBLIC_BODY_LIMIT_BYTES = 4 * 1024;

/** Bytes that a body may have. */
export const bodyLimitOf = ({ bodyLimitBytes, access }: RouteDefinition): number =>
  bodyLimitBytes ?? (access.kind === 'public' ? PUBLIC_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES);

/** RFC 7396: the semantics of every PATCH here. */
const MERGE_PATCH = 'application/merge-patch+json';

/** Returns the media types that a body may have. */
export const bodyTypesOf = ({ method }: RouteDefinition): string[] => [
  'application/json',
  ...(method === 'PATCH' ? [MERGE_PATCH] : []),
];

/** The prefixes a route is served under. */
export function prefixesOf(route: RouteDefinition): string[] {
  return route.versions ? [V1_PREFIX] : [V1_PREFIX, UNVERSIONED_PREFIX];
}

export function isServedIn(route: RouteDefinition, deployment: Deployment): boolean {
  return !route.deployments || route.deployments.includes(deployment);
}

/** True for paths below `/api/v1`. */
export function isVersioned(path: string): boolean {
  return path === V1_PREFIX || path.startsWith(`${V1_PREFIX}/`);
}
