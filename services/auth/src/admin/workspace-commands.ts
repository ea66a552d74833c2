import { z } from 'zod';
import { nameOf, slugOf } from '@waymark/contract/common';
import { planName } from '@waymark/contract/plans';
import { newSlug } from '@waymark/contract/workspaces';
import { listPage, pageOptions } from '@waymark/kernel/command-line/command';
import { mapPage } from '@waymark/kernel/http/reply';
import { createWorkspace } from '../workspaces/create-workspace.js';
import { setPlan } from '../workspaces/set-plan.js';
import type { Workspace } from '../workspaces/workspace-store.js';
import type { AdminContext } from './context.js';
import { databaseCommand, email, findExistingUser, findExistingWorkspace, OPERATOR } from './database-command.js';

const slug = slugOf('slug').describe('slug of the workspace');
const startsWith = z.string().max(64).default('').describe('only slugs that start with this');

export const WORKSPACE_COMMANDS = {
  'workspace list': databaseCommand({
    summary: 'Lists workspaces by their slugs',
    options: z.object({ startsWith, ...pageOptions }),
    run: (ctx, options) =>
      listPage(options, async (page) =>
        mapPage(await ctx.workspaces.listAllWorkspaces(options.startsWith, page), (found) => present(ctx, found)),
      ),
  }),
  'workspace show': databaseCommand({
    summary: 'Shows a workspace with its owners and the number of its members and tokens',
    options: z.object({ slug }),
    run: async (ctx, options) => {
      const workspace = await findExistingWorkspace(ctx, options.slug, 'slug');
      const [owners, members, tokens] = await Promise.all([
        ctx.workspaces.findOwners(workspace._id),
        ctx.workspaces.countMembers(workspace._id),
        ctx.tokens.countTokens(workspace._id),
      ]);
      const users = await ctx.users.findUsers(owners.map(({ userId }) => userId));
      return { ...present(ctx, workspace), owners: users.map((user) => user.email), members, tokens };
    },
  }),
  'workspace create': databaseCommand({
    summary: 'Creates a workspace with its owner',
    options: z.object({
      slug: newSlug.describe('slug of the workspace, which never changes'),
      name: nameOf(100).describe('name of the workspace'),
      owner: email.describe('e-mail address of the owner'),
      plan: planName.optional().describe('plan; DEFAULT_PLAN without it'),
    }),
    run: async (ctx, { slug: newWorkspace, name, owner, plan }) => {
      const user = await findExistingUser(ctx, owner, 'owner');
      const input = { slug: newWorkspace, name, owner: user, plan: plan ?? null };
      const workspace = await createWorkspace(ctx, OPERATOR, input);
      return { slug: newWorkspace, name: workspace.name, owner: user.email, plan: plan ?? ctx.config.DEFAULT_PLAN };
    },
  }),
  'workspace plan': databaseCommand({
    summary: 'Changes the plan of a workspace',
    options: z.object({ slug, plan: planName.describe('new plan') }),
    run: async (ctx, options) => {
      await setPlan(ctx, OPERATOR, options);
      return options;
    },
  }),
};

const present = ({ config }: AdminContext, workspace: Workspace) => ({
  slug: workspace._id,
  name: workspace.name,
  plan: workspace.plan ?? config.DEFAULT_PLAN,
  created_at: workspace.createdAt.toISOString(),
  suspended: workspace.suspension?.reason ?? null,
  require_two_factor: workspace.requiresTwoFactor ?? false,
});
