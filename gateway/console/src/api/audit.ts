import { api, send, type Schemas } from './client.js';

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
