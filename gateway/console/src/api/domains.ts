import { api, send, type Schemas } from './client.js';

export type Domain = Schemas['Domain'];
export type DomainChange = Partial<
  Pick<Domain, 'root_url' | 'not_found_url' | 'expired_url' | 'indexable' | 'apple_app_site_association' | 'assetlinks'>
>;

const DOMAINS = '/api/v1/workspaces/{workspace}/domains';

export const createDomain = (workspace: string, hostname: string) =>
  send(api.POST(DOMAINS, { params: { path: { workspace } }, body: { hostname } }));

export const checkDomain = (workspace: string, id: string) =>
  send(api.POST(`${DOMAINS}/{id}/verify`, { params: { path: { workspace, id } } }));

/** With the files of app links, which lists leave out. */
export const showDomain = async (workspace: string, id: string) =>
  (await send(api.GET(`${DOMAINS}/{id}`, { params: { path: { workspace, id } } }))).data;

export const updateDomain = (workspace: string, id: string, body: DomainChange) =>
  send(api.PATCH(`${DOMAINS}/{id}`, { params: { path: { workspace, id } }, body }));

export const deleteDomain = (workspace: string, id: string) =>
  send(api.DELETE(`${DOMAINS}/{id}`, { params: { path: { workspace, id } } }));
