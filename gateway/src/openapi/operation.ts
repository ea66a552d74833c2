import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { oneOf } from '@waymark/contract/problems';
import { EVERY_ROLE, type Role } from '@waymark/contract/roles';
import { bodyLimitOf, bodyTypesOf, V1_PREFIX, type Access, type RouteDefinition } from '@waymark/contract/route';
import type { RouteName } from '@waymark/contract/routes';
import { exampleOf } from './examples.js';
import { headerParameters, pathParameters } from './parameters.js';
import { describeResponses } from './responses.js';
import { bodySchema } from './schemas.js';
import { SUMMARIES } from './summaries.js';
import { tagOf } from './tags.js';

export { TAGS } from './tags.js';

/** Describes one row of the route table under one of its prefixes. */
export function describeOperation(name: RouteName, route: RouteDefinition, prefix: string): ZodOpenApiOperationObject {
  const isV1 = prefix === V1_PREFIX;
  const { summary, notes } = SUMMARIES[name];
  return {
    operationId: isV1 ? operationIdOf(name) : `${operationIdOf(name)}_unversioned`,
    tags: [tagOf(name)],
    summary,
    description: `${notes}\n\n${describeAccess(route.access)}`,
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
