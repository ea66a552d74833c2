import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { workspaceSlug } from '@waymark/contract/common';
import { oneOf } from '@waymark/contract/problems';
import { EVERY_ROLE, type Role } from '@waymark/contract/roles';
import { bodyLimitOf, bodyTypesOf, V1_PREFIX, type Access, type RouteDefinition } from '@waymark/contract/route';
import type { RouteName } from '@waymark/contract/routes';
import { PREFER_HEADER } from '@waymark/kernel/http/handling';
import { IDEMPOTENCY_HEADER } from '@waymark/kernel/http/idempotency';
import { exampleOf } from './examples.js';
import { describeResponses, takesConditions } from './responses.js';
import { bodySchema } from './schemas.js';
import { SUMMARIES } from './summaries.js';

type AreaOf<N> = N extends `${infer Area}.${string}` ? Area : never;

const TAG_OF: Readonly<Record<AreaOf<RouteName>, string>> = {
  user: 'Users and sessions',
  session: 'Users and sessions',
  workspaces: 'Workspaces and members',
  members: 'Workspaces and members',
  invitations: 'Workspaces and members',
  tokens: 'Tokens',
  links: 'Links',
  imports: 'Links',
  qr_codes: 'QR codes',
  folders: 'Folders, tags and templates',
  tags: 'Folders, tags and templates',
  utm_templates: 'Folders, tags and templates',
  conversions: 'Conversions',
  analytics: 'Analytics',
  webhooks: 'Webhooks',
  domains: 'Custom domains',
  audit_logs: 'Audit log',
  openapi: 'This document',
};
export const TAGS = [...new Set(Object.values(TAG_OF))].map((name) => ({ name }));

/** Describes one row of the route table under one of its prefixes. */
export function describeOperation(name: RouteName, route: RouteDefinition, prefix: string): ZodOpenApiOperationObject {
  const isV1 = prefix === V1_PREFIX;
  const { summary, notes } = SUMMARIES[name];
  return {
    operationId: isV1 ? operationIdOf(name) : `${operationIdOf(name)}_unversioned`,
    tags: [TAG_OF[name.split('.')[0] as AreaOf<RouteName>]],
    summary,
    description: [notes, describeAccess(route.access)].filter(Boolean).join('\n\n'),
    ...(!isV1 && { deprecated: true }),
    security: securityOf(route),
    requestParams: {
      path: pathParameters(route.path),
      ...(route.query && { query: route.query }),
      header: headerParameters(route),
    },
    ...(route.body && { requestBody: requestBody(name, route) }),
    responses: describeResponses(name, route, isV1),
  };
}

export const operationIdOf = (name: RouteName): string => name.replace('.', '_');

const PREFERENCE = {
  [PREFER_HEADER]: z
    .string()
    .optional()
    .meta({
      description:
        '`handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` ' +
        'refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240).',
      example: 'handling=lenient',
      param: { id: PREFER_HEADER },
    }),
};

function headerParameters(route: RouteDefinition): z.ZodObject {
  return z.object({
    ...PREFERENCE,
    ...(route.idempotent && {
      [IDEMPOTENCY_HEADER]: IDEMPOTENCY_KEY[route.idempotent === 'secret' ? 'secret' : 'replay'],
    }),
    ...(takesConditions(route) && CONDITIONS),
  });
}

const key = (repeated: string) =>
  z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: `Makes the request safe to repeat: for 24 hours the same key and body ${repeated}` });
const IDEMPOTENCY_KEY = {
  replay: key('get the first answer. The order of names in the JSON does not matter.'),
  secret: key('are a 409 that names what was created: its secret is shown once.'),
};

const tags = (description: string) => z.string().optional().meta({ description });
const CONDITIONS = {
  'If-Match': tags('Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes.'),
  'If-None-Match': tags('Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412.'),
};

function pathParameters(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter!);
  return z.object(
    Object.fromEntries(names.map((parameter) => [parameter, parameter === 'workspace' ? workspaceSlug : z.string()])),
  );
}

function requestBody(name: RouteName, route: RouteDefinition): ZodOpenApiOperationObject['requestBody'] {
  const content = { schema: bodySchema(name), example: exampleOf(name).body };
  return {
    required: true,
    description: `At most ${bytesText(bodyLimitOf(route))}, also when it is decompressed.`,
    content: Object.fromEntries(bodyTypesOf(route).map((type) => [type, content])),
  };
}

function bytesText(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} kB` : `${kilobytes / 1024} MB`;
}

function securityOf({ access, method }: RouteDefinition): Record<string, string[]>[] {
  const session: Record<string, string[]> = method === 'GET' ? { session: [] } : { session: [], csrf: [] };
  // An empty requirement makes the other one optional.
  if (access.kind === 'public') return access.session ? [{}, session] : [];
  const isForSessions = access.kind === 'session' || (access.kind === 'workspace' && access.sessionOnly);
  return isForSessions ? [session] : [{ token: [] }, session];
}

function describeAccess(access: Access): string {
  switch (access.kind) {
    case 'public':
      return access.session ? 'No credential is needed; a session acts as its user.' : 'No credential is needed.';
    case 'session':
      return 'Requires the session of a browser.';
    case 'user':
      return 'Requires a valid credential.';
    case 'workspace': {
      const lines = [`Requires the ability \`${access.ability}\`.`, describeRoles(access.roles)];
      if (access.sessionOnly) lines.push('Requires the session of a browser.');
      if (access.entitlement) lines.push(`Requires a plan with the entitlement \`${access.entitlement}\`.`);
      return lines.join(' ');
    }
  }
}

function describeRoles(roles: readonly Role[]): string {
  return roles.length === EVERY_ROLE.length ? 'Every role may call it.' : `Requires the role ${oneOf(roles)}.`;
}
