import type { Identity } from '@waymark/contract/identity';
import type { UserBody } from '@waymark/contract/users';
import { AppError } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { item } from '@waymark/kernel/http/reply';
import type { TokenStore } from '../tokens/token-store.js';
import type { UserStore } from '../users/user-store.js';
import { findVisibleMemberships } from '../workspaces/visible-memberships.js';
import type { WorkspaceStore } from '../workspaces/workspace-store.js';
import { presentUser, type ProfileContext } from './present-user.js';

interface ProfileRouteContext extends ProfileContext {
  users: Pick<UserStore, 'findUser'>;
  tokens: Pick<TokenStore, 'findToken'>;
  workspaces: WorkspaceStore;
}

export function profileHandlers(ctx: ProfileRouteContext): Pick<Handlers<'auth'>, 'user.show'> {
  return {
    'user.show': async ({ identity, versioned }) => {
      const user = await showUser(ctx, identity);
      return versioned ? item(user) : { body: user };
    },
  };
}

async function showUser(ctx: ProfileRouteContext, { actor }: Identity): Promise<UserBody> {
  const [user, token, memberships] = await Promise.all([
    actor.id === null ? null : ctx.users.findUser(actor.id),
    actor.token_id === null ? null : ctx.tokens.findToken(actor.token_id),
    findVisibleMemberships(ctx, actor),
  ]);
  if (!user) throw new AppError('unauthenticated', 'Unauthenticated.');
  return presentUser(ctx, {
    user,
    memberships,
    token: token && { id: token._id, name: token.name, abilities: token.abilities },
  });
}
