import { api, send, type Schemas } from './client.js';

export type Token = Schemas['Token'];
export interface NewToken {
  name: string;
  scope: 'read_only' | 'read_write';
  expires_at: string | null;
}

const TOKENS = '/api/v1/workspaces/{workspace}/tokens';

export const listTokens = async (workspace: string) =>
  (await send(api.GET(TOKENS, { params: { path: { workspace } } }))).data;

/** Returns the token's plaintext, which the server does not tell again. */
export const createToken = async (workspace: string, body: NewToken) =>
  (await send(api.POST(TOKENS, { params: { path: { workspace } }, body }))).meta.plaintext_token;

export const revokeToken = (workspace: string, tokenId: string, cascade: boolean) =>
  send(api.DELETE(`${TOKENS}/{tokenId}`, { params: { path: { workspace, tokenId }, query: { cascade } } }));
