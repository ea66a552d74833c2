import { z } from 'zod';
import { colour, createdAt, item, listOrPage, nameOf, optionalPage, timestamp } from './common.js';
import { CONTENT_EDITORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const createTag = z
  .object({
    name: nameOf(50).describe('Unique in the workspace without regard to case, at most 50 characters.'),
    color: colour.nullish().describe('`#rrggbb`, shown with the name; `null` for none.'),
  })
  .describe('Fields of a new tag.');
export const updateTag = createTag.partial().describe('Changes of a tag; absent fields stay unchanged.');
export type CreateTagBody = z.infer<typeof createTag>;
export type UpdateTagBody = z.infer<typeof updateTag>;

export const tag = z
  .object({
    id: z.string().describe('`tag_…`; never changes.'),
    name: z.string().describe('Unique in the workspace, without regard to case.'),
    color: z.string().nullable().describe('`#rrggbb`; `null` for none.'),
    links_count: z.number().int().describe('Links with the tag, archived ones too.'),
    created_at: createdAt,
    updated_at: timestamp.describe('Time of the last change, in UTC; changes of its links do not count.'),
  })
  .describe('A label of links. A link has up to 50.');
export type TagBody = z.infer<typeof tag>;

const path = '/workspaces/{workspace}/tags';
const read = { kind: 'workspace', ability: 'read', roles: EVERY_ROLE } as const;
const write = { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS } as const;

export const tagRoutes = {
  'tags.list': {
    method: 'GET',
    path,
    deployments: ['links'],
    service: 'resource',
    access: read,
    query: optionalPage,
    response: { status: 200, schema: listOrPage(tag) },
  },
  'tags.create': {
    method: 'POST',
    path,
    deployments: ['links'],
    service: 'resource',
    access: write,
    body: createTag,
    idempotent: true,
    response: { status: 201, schema: item(tag) },
  },
  'tags.show': {
    method: 'GET',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: read,
    response: { status: 200, schema: item(tag) },
  },
  'tags.update': {
    method: 'PATCH',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: write,
    body: updateTag,
    response: { status: 200, schema: item(tag) },
  },
  'tags.delete': {
    method: 'DELETE',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: write,
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
