import type { Actor } from '@waymark/contract/identity';
import type { AuthContext } from '../context.js';
import type { Membership } from './store.js';

/** Returns the memberships that a credential may list: a session all of its user, a token the one of its workspace. */
export async function visibleMemberships(
  { workspaces, tokens }: Pick<AuthContext, 'workspaces' | 'tokens'>,
  { id, token_id: tokenId }: Actor,
): Promise<Membership[]> {
  if (id === null) return [];
  const [memberships, token] = await Promise.all([
    workspaces.membershipsOf(id),
    tokenId === null ? null : tokens.byId(tokenId),
  ]);
  return tokenId === null ? memberships : memberships.filter(({ workspace }) => workspace === token?.workspace);
}
