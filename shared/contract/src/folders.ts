import { z } from 'zod';
import { colour, createdAt, description, item, listOrPage, nameOf, optionalPage, timestamp } from './common.js';
import { CONTENT_EDITORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const createFolder = z
  .object({
    name: nameOf(100).describe('Unique in the workspace, at most 100 characters.'),
    description: description.nullish().describe('Text for people, at most 255 characters; `null` for none.'),
    color: colour.nullish().describe('`#rrggbb`, shown beside the name; `null` for none.'),
  })
  .describe('Fields of a new folder.');
export const updateFolder = createFolder.partial().describe('Changes of a folder; absent fields stay unchanged.');
export type CreateFolderBody = z.infer<typeof createFolder>;
export type UpdateFolderBody = z.infer<typeof updateFolder>;

export const folder = z
  .object({
    id: z.string().describe('`fld_…`; never changes.'),
    name: z.string().describe('Unique in the workspace.'),
    description: z.string().nullable().describe('Text for people; `null` for none.'),
    color: z.string().nullable().describe('`#rrggbb`; `null` for none.'),
    links_count: z.number().int().describe('Links in the folder, archived ones too.'),
    created_at: createdAt,
    updated_at: timestamp.describe('Time of the last change, in UTC; changes of its links do not count.'),
  })
  .describe('A folder of links. A link is in one folder at most.');
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
