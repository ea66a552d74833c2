import { z } from 'zod';
import { colour, description, item, listOrPage, nameOf, optionalPage, timestamp } from './common.js';
import { CONTENT_EDITORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const createFolder = z.object({
  name: nameOf(100),
  description: description.nullish(),
  color: colour.nullish(),
});
export const updateFolder = createFolder.partial();
export type CreateFolderBody = z.infer<typeof createFolder>;
export type UpdateFolderBody = z.infer<typeof updateFolder>;

export const folder = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  color: z.string().nullable(),
  links_count: z.number().int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type FolderBody = z.infer<typeof folder>;

const path = '/workspaces/{workspace}/folders';
const read = { kind: 'workspace', ability: 'read', roles: EVERY_ROLE } as const;
const write = { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS } as const;

export const folderRoutes = {
  'folders.list': {
    method: 'GET',
    path,
    deployments: ['links'],
    service: 'resource',
    access: read,
    query: optionalPage,
    response: { status: 200, schema: listOrPage(folder) },
  },
  'folders.create': {
    method: 'POST',
    path,
    deployments: ['links'],
    service: 'resource',
    access: write,
    body: createFolder,
    idempotent: true,
    response: { status: 201, schema: item(folder) },
  },
  'folders.show': {
    method: 'GET',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: read,
    response: { status: 200, schema: item(folder) },
  },
  'folders.update': {
    method: 'PATCH',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: write,
    body: updateFolder,
    response: { status: 200, schema: item(folder) },
  },
  'folders.delete': {
    method: 'DELETE',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: write,
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
