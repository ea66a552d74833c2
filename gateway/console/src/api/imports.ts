import { api, send, type Schemas } from './client.js';

export type LinkImport = Schemas['LinkImport'];
export type OnDuplicate = LinkImport['options']['on_duplicate'];
export type Outcome = 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed';

const LINKS = '/api/v1/workspaces/{workspace}/links';
const IMPORTS = `${LINKS}/imports` as const;

/** Parameters that come from the address of the page; the server checks them. */
const untyped = (params: object): object => params;

interface NewImport {
  csv: string;
  options: { on_duplicate: OnDuplicate; dry_run: boolean };
}

/** A repeated attempt with the same key starts no second import. */
export const startImport = async (workspace: string, body: NewImport, key: string) =>
  (
    await send(
      api.POST(`${LINKS}/import`, { params: { path: { workspace }, header: { 'Idempotency-Key': key } }, body }),
    )
  ).data;

export const showImport = async (workspace: string, id: string) =>
  (await send(api.GET(`${IMPORTS}/{id}`, { params: { path: { workspace, id } } }))).data;

export const listImports = (workspace: string, filters: { page?: string }) =>
  send(api.GET(IMPORTS, { params: { path: { workspace }, query: untyped({ ...filters, per_page: 20 }) } }));

export const listImportRows = (workspace: string, id: string, filters: { outcome?: string; page?: string }) =>
  send(
    api.GET(`${IMPORTS}/{id}/rows`, {
      params: { path: { workspace, id }, query: untyped({ ...filters, per_page: 50 }) },
    }),
  );
