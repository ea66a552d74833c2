import { api, send } from './client.js';

export const createWorkspace = async (body: { name: string; slug: string }) =>
  (await send(api.POST('/api/v1/workspaces', { body }))).data;

export const showWorkspace = async (workspace: string) =>
  (await send(api.GET('/api/v1/workspaces/{workspace}', { params: { path: { workspace } } }))).data;

export const renameWorkspace = async (workspace: string, name: string) =>
  (await send(api.PATCH('/api/v1/workspaces/{workspace}', { params: { path: { workspace } }, body: { name } }))).data;

export const requireTwoFactor = async (workspace: string, isRequired: boolean) =>
  send(
    api.PATCH('/api/v1/workspaces/{workspace}', {
      params: { path: { workspace } },
      body: { require_two_factor: isRequired },
    }),
  );

export const leaveWorkspace = (workspace: string) =>
  send(api.DELETE('/api/v1/workspaces/{workspace}/members/me', { params: { path: { workspace } } }));

/** Deletes the workspace with everything in it; `confirm` is its slug, typed again. */
export const deleteWorkspace = (workspace: string, confirm: string) =>
  send(api.DELETE('/api/v1/workspaces/{workspace}', { params: { path: { workspace } }, body: { confirm } }));
