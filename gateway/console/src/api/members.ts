import type { Role } from '../config/config.js';
import { api, send, type Schemas } from './client.js';

export type Member = Schemas['Member'];

const WORKSPACE = '/api/v1/workspaces/{workspace}';
const MEMBER = `${WORKSPACE}/members/{user}` as const;
const INVITATIONS = `${WORKSPACE}/invitations` as const;

export const listMembers = async (workspace: string) =>
  (await send(api.GET(`${WORKSPACE}/members`, { params: { path: { workspace } } }))).data;

export const changeRole = (workspace: string, user: string, role: Role) =>
  send(api.PATCH(MEMBER, { params: { path: { workspace, user } }, body: { role } }));

export const removeMember = (workspace: string, user: string) =>
  send(api.DELETE(MEMBER, { params: { path: { workspace, user } } }));

export const listInvitations = async (workspace: string) =>
  (await send(api.GET(INVITATIONS, { params: { path: { workspace } } }))).data;

export type Invitation = Awaited<ReturnType<typeof listInvitations>>[number];

/** Returns the link of the invitation, which the server does not tell again. */
export const createInvitation = async (workspace: string, body: { email: string | null; role: Role }) =>
  (await send(api.POST(INVITATIONS, { params: { path: { workspace } }, body }))).meta.invite_url;

export const withdrawInvitation = (workspace: string, id: string) =>
  send(api.DELETE(`${INVITATIONS}/{id}`, { params: { path: { workspace, id } } }));

/** What the holder of a link learns before accepting it. */
export const showInvitation = async (token: string) =>
  (await send(api.POST('/api/v1/invitations/look-up', { body: { token } }))).data;
export type ShownInvitation = Awaited<ReturnType<typeof showInvitation>>;

/** As the user who is signed in, or with a new account. */
export const acceptLink = async (token: string, body: { name?: string; email?: string; password?: string }) =>
  (await send(api.POST('/api/v1/invitations/accept', { body: { token, ...body } }))).data;

export const acceptInvitation = async (id: string) =>
  (await send(api.POST('/api/v1/user/invitations/{id}/accept', { params: { path: { id } } }))).data;

export const declineInvitation = (id: string) =>
  send(api.POST('/api/v1/user/invitations/{id}/decline', { params: { path: { id } } }));
