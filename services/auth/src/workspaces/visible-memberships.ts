import type { Actor } from '@waymark/contract/identity';
import type { TokenWorkspaces, WorkspaceContext } from './context.js';
import type { Membership } from './workspace-store.js';

/** Returns the memberships that a credential may list: a session lists all of its user, a token only its workspace. */
export async function findVisibleMemberships(
  { workspaces, tokens }: Pick<WorkspaceContext, 'workspaces'> & { tokens: TokenWorkspaces },
  { id, token_id: tokenId }: Actor,
): Promise<Membership[]> {
  if (id === null) return [];
  const [memberships, token] = await Promise.all([
    workspaces.findMembershipsOfUser(id),
    tokenId === null ? null : tokens.findToken(tokenId),
  ]);
  return tokenId === null ? memberships : memberships.filter(({ workspace }) => workspace === token?.workspace);
}
