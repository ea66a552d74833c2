import type { MemberBody } from '@waymark/contract/workspaces';
import { missing } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { item, listOrPage, mapPage, noContent } from '@waymark/kernel/http/reply';
import type { User } from '../../users/user-store.js';
import type { Membership } from '../workspace-store.js';
import type { MemberContext } from './context.js';
import { removeMember } from './remove-member.js';
import { setMember } from './set-member.js';

type Names = 'members.list' | 'members.leave' | 'members.update' | 'members.remove';

export function memberHandlers(ctx: MemberContext): Pick<Handlers<'auth'>, Names> {
  return {
    'members.list': ({ query, workspace, url }) =>
      listOrPage({ query, url, max: ctx.config.MAX_MEMBERS_PER_WORKSPACE }, async (page) => {
        const order = { sort: query.sort, updatedSince: query.updated_since };
        const members = await ctx.workspaces.listMemberships(workspace.slug, order, page);
        const users = await ctx.users.findUsers(members.items.map((membership) => membership.userId));
        const byId = new Map(users.map((user) => [user._id, user]));
        return mapPage(members, (membership) => present(membership, byId.get(membership.userId)!));
      }),
    'members.leave': async ({ workspace, identity, eventContext }) => {
      const user = await existing(identity.actor.id!);
      await removeMember(ctx, eventContext, { workspace: workspace.slug, user, changedBy: 'self' });
      return noContent();
    },
    'members.update': async ({ params, body, workspace, eventContext, condition }) => {
      const user = await existing(params['user']!);
      const membership = await ctx.workspaces.findMembership(workspace.slug, user._id);
      if (!membership) throw missing('member', user._id);
      const check = condition((current: Membership) => present(current, user));
      check?.(membership);
      if (body.role === undefined) return item(present(membership, user));
      const input = {
        workspace: workspace.slug,
        user,
        role: body.role,
        changedBy: workspace.role,
        mode: 'change' as const,
      };
      return item(present(await setMember(ctx, eventContext, { ...input, check }), user));
    },
    'members.remove': async ({ params, workspace, eventContext, condition }) => {
      const user = await existing(params['user']!);
      const check = condition((current: Membership) => present(current, user));
      await removeMember(ctx, eventContext, { workspace: workspace.slug, user, changedBy: workspace.role, check });
      return noContent();
    },
  };

  async function existing(id: string): Promise<User> {
    const user = await ctx.users.findUser(id);
    if (!user) throw missing('member', id);
    return user;
  }
}

function present(membership: Membership, user: User): MemberBody {
  return {
    user: { id: user._id, name: user.name, email: user.email },
    role: membership.role,
    created_at: membership.createdAt.toISOString(),
    // A replica of an older version may have stored this membership without the field.
    updated_at: (membership.updatedAt ?? membership.createdAt).toISOString(),
  };
}
