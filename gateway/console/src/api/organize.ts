import { api, send, type Schemas } from './client.js';

export type Tag = Schemas['Tag'];
export type Folder = Schemas['Folder'];

export const listTags = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/tags', { params: { path: { workspace } } }))).data;
export const listFolders = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/folders', { params: { path: { workspace } } }))).data;
export const listTemplates = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/utm-templates', { params: { path: { workspace } } }))).data;
export const listDomains = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}/domains', { params: { path: { workspace } } }))).data;
