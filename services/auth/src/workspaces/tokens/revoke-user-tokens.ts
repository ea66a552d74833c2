import type { EventContext } from '@waymark/contract/event';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { WorkspaceStore } from '../workspace-store.js';
import { createTokenRevoked } from './revoke-token.js';
import type { TokenStore } from './token-store.js';

export interface UserTokensContext {
  workspaces: Pick<WorkspaceStore, 'findMembershipsOfUser' | 'lockMembers'>;
  tokens: Pick<TokenStore, 'revokeEveryTokenOfUser'>;
}

/** Revokes every token of a user, in all workspaces. Call it in a transaction. @returns how many */
export async function revokeUserTokens(
  { workspaces, tokens }: UserTokensContext,
  { event, userId }: { event: EventContext; userId: string },
  tx: Transaction,
): Promise<number> {
  // In the order of their slugs, so that two such transactions cannot deadlock. No token is minted meanwhile.
  for (const { workspace } of await workspaces.findMembershipsOfUser(userId, tx.session)) {
    await workspaces.lockMembers(workspace, tx.session);
  }
  const revoked = await tokens.revokeEveryTokenOfUser(userId, tx.session);
  tx.emit(...revoked.map((token) => createTokenRevoked({ ...event, workspace: token.workspace }, token, token._id)));
  return revoked.length;
}
