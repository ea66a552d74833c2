import { z } from 'zod';
import type { RouteDefinition } from './route.js';

export const openApiRoutes = {
  'openapi.show': {
    method: 'GET',
    path: '/openapi.json',
    versions: ['v1'],
    service: 'gateway',
    access: { kind: 'public' },
    response: { status: 200, schema: z.looseObject({ openapi: z.string() }) },
  },
} as const satisfies Record<string, RouteDefinition>;
