import { z } from 'zod';
import { role } from '@waymark/contract/roles';
import { listPage, pageOptions } from '@waymark/kernel/command-line/command';
import { AppError, invalidOption } from '@waymark/kernel/errors';
import { mapPage } from '@waymark/kernel/http/reply';
import { removeMember } from '../workspaces/members/remove-member.js';
import { setMember } from '../workspaces/members/set-member.js';
import {
  databaseCommand,
  email,
  findExistingUser,
  findExistingWorkspace,
  OPERATOR,
  workspace,
} from './database-command.js';

export const MEMBER_COMMANDS = {
  'member list': databaseCommand({
    summary: 'Lists the members of a workspace, in the order in which they joined',
    options: z.object({ workspace, ...pageOptions }),
    run: async (ctx, options) => {
      const { _id: slug } = await findExistingWorkspace(ctx, options.workspace);
      return listPage(options, async (page) => {
        const order = { sort: 'created_at' as const, updatedSince: undefined };
        const members = await ctx.workspaces.listMemberships(slug, order, page);
        const users = await ctx.users.findUsers(members.items.map(({ userId }) => userId));
        const byId = new Map(users.map((user) => [user._id, user]));
        return mapPage(members, (member) => ({
          email: byId.get(member.userId)?.email ?? null,
          name: byId.get(member.userId)?.name ?? null,
          role: member.role,
          since: member.createdAt.toISOString(),
        }));
      });
    },
  }),
  'member set': databaseCommand({
    summary: 'Adds a member, or changes the role of one',
    options: z.object({ workspace, email, role: role.describe('role in the workspace') }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await findExistingWorkspace(ctx, options.workspace);
      const change = { workspace: options.workspace, user, role: options.role };
      await setMember(ctx, OPERATOR, { ...change, changedBy: 'operator', mode: 'set' });
      return { workspace: options.workspace, email: user.email, role: options.role };
    },
  }),
  'member remove': databaseCommand({
    summary: 'Removes a member and revokes the tokens of this member for the workspace',
    options: z.object({ workspace, email }),
    confirm: (options) => `This removes ${options.email} from ${options.workspace} and revokes their tokens there.`,
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await findExistingWorkspace(ctx, options.workspace);
      const removal = { workspace: options.workspace, user, changedBy: 'operator' as const };
      await removeMember(ctx, OPERATOR, removal).catch((error: unknown) => {
        if (!(error instanceof AppError && error.code === 'not_found')) throw error;
        throw invalidOption('email', 'The user is not a member of this workspace.');
      });
      return { workspace: options.workspace, email: user.email, role: null };
    },
  }),
};
