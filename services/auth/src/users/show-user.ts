import type { Identity } from '@waymark/contract/identity';
import type { UserBody } from '@waymark/contract/users';
import { AppError } from '@waymark/kernel/errors';
import type { AuthContext } from '../context.js';
import { visibleMemberships } from '../workspaces/visible-memberships.js';
import { presentUser } from './present-user.js';

export async function showUser(ctx: AuthContext, { actor }: Identity): Promise<UserBody> {
  const [user, token, memberships] = await Promise.all([
    actor.id === null ? null : ctx.users.byId(actor.id),
    actor.token_id === null ? null : ctx.tokens.byId(actor.token_id),
    visibleMemberships(ctx, actor),
  ]);
  if (!user) throw new AppError('unauthenticated', 'Unauthenticated.');
  return presentUser(ctx, {
    user,
    memberships,
    token: token && { id: token._id, name: token.name, abilities: token.abilities },
  });
}
