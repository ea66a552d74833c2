import type { EventContext } from '@waymark/contract/event';
import { userUpdated } from '@waymark/contract/events';
import type { Identity } from '@waymark/contract/identity';
import type { UserBody } from '@waymark/contract/users';
import { AppError } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { item } from '@waymark/kernel/http/reply';
import { runChange } from '../../limits/account-changes.js';
import type { WindowCounter } from '../../limits/window-counter.js';
import type { TokenStore } from '../../workspaces/tokens/token-store.js';
import type { UserStore } from '../../users/user-store.js';
import type { Database } from '@waymark/kernel/mongo/database';
import { findVisibleMemberships } from '../../workspaces/visible-memberships.js';
import type { WorkspaceStore } from '../../workspaces/workspace-store.js';
import { presentUser, type ProfileContext } from './present-user.js';

interface ProfileRouteContext extends ProfileContext {
  db: Database;
  limits: WindowCounter;
  users: Pick<UserStore, 'findUser' | 'findUsers' | 'setName'>;
  tokens: Pick<TokenStore, 'findToken'>;
  workspaces: WorkspaceStore;
}

export function profileHandlers(ctx: ProfileRouteContext): Pick<Handlers<'auth'>, 'user.show' | 'user.update'> {
  return {
    'user.show': async ({ identity, versioned }) => {
      const user = await showUser(ctx, identity);
      return versioned ? item(user) : { body: user };
    },
    'user.update': async ({ body, identity, eventContext }) => {
      if (body.name !== undefined) await rename(ctx, eventContext, body.name);
      return item(await showUser(ctx, identity));
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

async function rename(ctx: ProfileRouteContext, event: EventContext, name: string): Promise<void> {
  const user = await ctx.users.findUser(event.actor!.id!);
  if (!user || user.name === name) return;
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const target = { type: 'user', id: user._id, label: user.email };
  const changes = { name: { from: user.name, to: name } };
  const renamed = userUpdated.create(event, { user_id: user._id, email: user.email, workspaces }, { target, changes });
  await runChange(ctx.limits, { userId: user._id, change: 'name' }, () =>
    ctx.db.transaction(async (tx) => {
      await ctx.users.setName(user._id, name, tx.session);
      tx.emit(renamed);
    }),
  );
}
