import type { Identity } from '@waymark/shared/contract/identity';
import type { UserBody } from '@waymark/shared/contract/users';
import { AppError } from '@waymark/shared/kernel/errors';
import type { AuthContext } from '../context.js';
import { presentUser } from './present-user.js';

export async function showUser(ctx: AuthContext, identity: Identity): Promise<UserBody> {
  const { id, token_id: tokenId } = identity.actor;
  const [user, token] = await Promise.all([
    id === null ? null : ctx.users.byId(id),
    tokenId === null ? null : ctx.tokens.byId(tokenId),
  ]);
  if (!user) throw new AppError('unauthenticated', 'Unauthenticated.');
  return presentUser(ctx, user, token && { id: token._id, name: token.name, abilities: token.abilities });
}
