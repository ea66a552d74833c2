import { api, send } from './client.js';

export const renameUser = async (name: string) => (await send(api.PATCH('/api/v1/user', { body: { name } }))).data;

/** Returns the number of the user's access tokens that still work. */
export const changePassword = async (body: {
  current_password: string;
  new_password: string;
  revoke_tokens: boolean;
}): Promise<number> => (await send(api.POST('/api/v1/user/password', { body }))).meta.live_tokens;

/** Confirms the session with the password, for what needs a recent sign-in. */
export const reauthenticate = (password: string) =>
  send(api.POST('/api/v1/session/reauthenticate', { body: { password } }));

export const startTotp = async () => (await send(api.POST('/api/v1/user/totp'))).data;
export type TotpSetup = Awaited<ReturnType<typeof startTotp>>;

/** Returns the recovery codes, which the server does not tell again. */
export const confirmTotp = async (code: string) =>
  (await send(api.POST('/api/v1/user/totp/confirm', { body: { code } }))).data.recovery_codes;

export const disableTotp = (password: string) => send(api.DELETE('/api/v1/user/totp', { body: { password } }));

export const listSessions = async () => (await send(api.GET('/api/v1/sessions'))).data;
export type Session = Awaited<ReturnType<typeof listSessions>>[number];

export const endSession = (id: string) => send(api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } }));
export const endOtherSessions = () => send(api.DELETE('/api/v1/sessions'));

export const requestPasswordReset = (email: string) =>
  send(api.POST('/api/v1/password-reset-request', { body: { email } }));

export const resetPassword = (body: { token: string; new_password: string; revoke_tokens: boolean }) =>
  send(api.POST('/api/v1/password-reset', { body }));
