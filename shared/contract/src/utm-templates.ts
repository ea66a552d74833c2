import { z } from 'zod';
import { createdAt, description, item, listOrPage, nameOf, optionalPage, timestamp } from './common.js';
import { utmDefaults, utmInput } from './links.js';
import { CONTENT_EDITORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const createUtmTemplate = z
  .object({
    name: nameOf(100).describe('Unique in the workspace, at most 100 characters.'),
    description: description.nullish().describe('Text for people, at most 255 characters; `null` for none.'),
    ...utmInput.shape,
  })
  .describe('Fields of a new UTM template.');
export const updateUtmTemplate = createUtmTemplate
  .partial()
  .describe('Changes of a UTM template; absent fields stay unchanged.');
export type CreateUtmTemplateBody = z.infer<typeof createUtmTemplate>;
export type UpdateUtmTemplateBody = z.infer<typeof updateUtmTemplate>;

export const utmTemplate = z
  .object({
    id: z.string().describe('`utm_…`; never changes.'),
    name: z.string().describe('Unique in the workspace.'),
    description: z.string().nullable().describe('Text for people; `null` for none.'),
    ...utmDefaults.shape,
    created_at: createdAt,
    updated_at: timestamp.describe('Time of the last change, in UTC.'),
  })
  .describe('UTM parameters under a name, which links copy when they are created or changed.');
export type UtmTemplateBody = z.infer<typeof utmTemplate>;

const path = '/workspaces/{workspace}/utm-templates';
const read = { kind: 'workspace', ability: 'read', roles: EVERY_ROLE } as const;
const write = { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS } as const;

export const utmTemplateRoutes = {
  'utm_templates.list': {
    method: 'GET',
    path,
    deployments: ['links'],
    service: 'resource',
    access: read,
    query: optionalPage,
    response: { status: 200, schema: listOrPage(utmTemplate) },
  },
  'utm_templates.create': {
    method: 'POST',
    path,
    deployments: ['links'],
    service: 'resource',
    access: write,
    body: createUtmTemplate,
    idempotent: true,
    response: { status: 201, schema: item(utmTemplate) },
  },
  'utm_templates.show': {
    method: 'GET',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: read,
    response: { status: 200, schema: item(utmTemplate) },
  },
  'utm_templates.update': {
    method: 'PATCH',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: write,
    body: updateUtmTemplate,
    response: { status: 200, schema: item(utmTemplate) },
  },
  'utm_templates.delete': {
    method: 'DELETE',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: write,
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
