import { api, send, type Schemas } from './client.js';

export type Tag = Schemas['Tag'];
export type Folder = Schemas['Folder'];
export type Template = Schemas['UtmTemplate'];

export const listTags = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/tags', { params: { path: { workspace } } }))).data;
export const listFolders = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/folders', { params: { path: { workspace } } }))).data;
export const listTemplates = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/utm-templates', { params: { path: { workspace } } }))).data;
export const listDomains = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/domains', { params: { path: { workspace } } }))).data;

/** What links are organised with. The three have the same routes below different paths. */
export type Kind = 'folders' | 'tags' | 'utm-templates';
export type ItemFields = { name: string } & Record<string, string | null>;

const itemsPath = (kind: Kind) => `/api/v1/workspaces/{workspace}/${kind}` as '/api/v1/workspaces/{workspace}/folders';
const itemPath = (kind: Kind) => `${itemsPath(kind)}/{id}` as const;

export const createItem = (workspace: string, kind: Kind, body: ItemFields) =>
  send(api.POST(itemsPath(kind), { params: { path: { workspace } }, body }));

export const updateItem = (workspace: string, { kind, id }: { kind: Kind; id: string }, body: ItemFields) =>
  send(api.PATCH(itemPath(kind), { params: { path: { workspace, id } }, body }));

export const deleteItem = (workspace: string, kind: Kind, id: string) =>
  send(api.DELETE(itemPath(kind), { params: { path: { workspace, id } } }));
