import { api, send, type Schemas } from './client.js';

export type Domain = Schemas['Domain'];

const DOMAINS = '/api/v1/workspaces/{workspace}/domains';

export const createDomain = (workspace: string, hostname: string) =>
  send(api.POST(DOMAINS, { params: { path: { workspace } }, body: { hostname } }));

export const checkDomain = (workspace: string, id: string) =>
  send(api.POST(`${DOMAINS}/{id}/verify`, { params: { path: { workspace, id } } }));

export const updateDomain = (workspace: string, id: string, body: { not_found_url: string | null }) =>
  send(api.PATCH(`${DOMAINS}/{id}`, { params: { path: { workspace, id } }, body }));

export const deleteDomain = (workspace: string, id: string) =>
  send(api.DELETE(`${DOMAINS}/{id}`, { params: { path: { workspace, id } } }));
