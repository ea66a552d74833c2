import { z } from 'zod';
import type { RouteDefinition } from './route.js';

const openApiQuery = z.object({
  deprecated: z
    .stringbool({ error: 'The deprecated must be true or false.' })
    .meta({ type: 'boolean' })
    .default(false)
    .meta({ description: 'Also describes the deprecated routes without a version in their path.' }),
});
const document = z
  .looseObject({ openapi: z.string().describe('Version of the OpenAPI specification that the document follows.') })
  .describe('An OpenAPI document.');

export const openApiRoutes = {
  'openapi.show': {
    method: 'GET',
    path: '/openapi.json',
    versions: ['v1'],
    service: 'gateway',
    access: { kind: 'public' },
    query: openApiQuery,
    response: { status: 200, schema: document },
  },
} as const satisfies Record<string, RouteDefinition>;
