import { api, send, type Schemas } from './client.js';
import { FOR_SPREADSHEETS } from './for-spreadsheets.js';

export type AuditEntry = Schemas['AuditEntry'];

/** The latest entries about one thing. */
export const listHistory = async (workspace: string, target: string) =>
  (
    await send(
      api.GET('/api/v1/workspaces/{workspace}/audit-logs', {
        params: { path: { workspace }, query: { target, per_page: 10 } },
      }),
    )
  ).data;

const LOGS = '/api/v1/workspaces/{workspace}/audit-logs';

/** Filters come from the address of the page; the server checks them. */
const untyped = (params: object): object => params;

export const listEntries = (workspace: string, filters: Record<string, string>) =>
  send(api.GET(LOGS, { params: { path: { workspace }, query: untyped({ ...filters, per_page: 50 }) } }));

export const verifyLog = async (workspace: string) =>
  (await send(api.GET(`${LOGS}/verify`, { params: { path: { workspace } } }))).data;

/** The address of the CSV with these filters; the browser downloads it with the session's cookie. */
export const exportAddress = (workspace: string, filters: Record<string, string>): string =>
  `/api/v1/workspaces/${workspace}/audit-logs/export?${new URLSearchParams({ ...filters, ...FOR_SPREADSHEETS }).toString()}`;
