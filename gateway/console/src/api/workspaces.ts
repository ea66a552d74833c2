import { api, send } from './client.js';

export const showWorkspace = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}', { params: { path: { workspace } } }))).data;
