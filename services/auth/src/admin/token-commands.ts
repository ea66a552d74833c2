import { z } from 'zod';
import type { Ability } from '@waymark/contract/roles';
import { createToken as createTokenInput } from '@waymark/contract/tokens';
import { dryRun, listPage, pageOptions } from '@waymark/kernel/command-line/command';
import { AppError, invalidOption } from '@waymark/kernel/errors';
import { mapPage } from '@waymark/kernel/http/reply';
import { createToken } from '../workspaces/tokens/create-token.js';
import { presentToken } from '../workspaces/tokens/present-token.js';
import { revokeToken } from '../workspaces/tokens/revoke-token.js';
import type { Token } from '../workspaces/tokens/token-store.js';
import { isDisabled } from '../users/user-store.js';
import type { AdminContext } from './context.js';
import { databaseCommand, email, findExistingUser, findExistingWorkspace, workspace } from './database-command.js';

const GRANTS: Record<string, Ability[]> = { read: ['read'], write: ['write'], read_write: ['read', 'write'] };

export const TOKEN_COMMANDS = {
  'token list': databaseCommand({
    summary: 'Lists the tokens of a workspace, of a user, or of a user for a workspace, newest first',
    options: z.object({ workspace: workspace.optional(), email: email.optional(), ...pageOptions }),
    run: async (ctx, options) => {
      const { workspaces, userId } = await findTokenOwners(ctx, options);
      return listPage(options, async (page) => {
        const tokens = await ctx.tokens.listTokensOf({ workspaces, userId }, page);
        const users = await ctx.users.findUsers([...new Set(tokens.items.map((token) => token.userId))]);
        const byId = new Map(users.map((user) => [user._id, user]));
        return mapPage(tokens, (token) => {
          const { user, abilities, ...row } = presentToken(token, byId.get(token.userId)!);
          return { workspace: token.workspace, email: byId.get(token.userId)?.email ?? user.id, ...row };
        });
      });
    },
  }),
  'token create': databaseCommand({
    summary: 'Creates a personal access token of a member and prints it, this once',
    options: z.object({
      workspace,
      email,
      name: createTokenInput.shape.name.describe('name of the token'),
      ability: z.enum(['read', 'write', 'read_write']).describe('what the token may do'),
    }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await findExistingWorkspace(ctx, options.workspace);
      if (isDisabled(user)) throw invalidOption('email', 'The user is disabled. Enable the user first.');
      if (!(await ctx.workspaces.findMembership(options.workspace, user._id))) {
        throw invalidOption('email', 'The user is not a member of this workspace.');
      }
      const { workspace: slug, name, ability } = options;
      const input = { workspace: slug, userId: user._id, name, grants: GRANTS[ability]!, expiresAt: null };
      const { token, plaintext } = await createToken(ctx, { workspace: slug }, input);
      return { ...presentToken(token, user), plaintext_token: plaintext };
    },
  }),
  'token revoke': databaseCommand({
    summary: 'Revokes a token, and with --cascade every token that it minted',
    options: z.object({
      id: z.string().max(64).describe('id of the token, as token list prints it'),
      cascade: z.boolean().default(false).describe('also revokes the tokens that it minted, and theirs'),
      dryRun,
    }),
    confirm: ({ id, cascade }) =>
      `This revokes the token ${id}${cascade ? ' and every token that it minted' : ''}: programs that use it are refused from now on.`,
    run: async (ctx, { id, cascade, dryRun: isDryRun }) => {
      const token = await ctx.tokens.findToken(id);
      if (!token) throw invalidOption('id', 'The token does not exist.');
      const revoked = await (isDryRun ? findRevocable(ctx, token, cascade) : revoke(ctx, token, cascade));
      if (revoked.length === 0) throw invalidOption('id', cascade ? ALL_REVOKED : 'The token is revoked already.');
      return { id, workspace: token.workspace, name: token.name, dry_run: isDryRun, revoked: revoked.length };
    },
  }),
};

const ALL_REVOKED = 'The token and every token that it minted are revoked already.';

async function findRevocable({ tokens }: AdminContext, token: Token, cascade: boolean): Promise<Token[]> {
  const { workspace, _id: id } = token;
  const descendants = cascade ? await tokens.findDescendants({ workspace, id, userId: undefined }) : [];
  return token.revokedAt ? descendants : [token, ...descendants];
}

function revoke(ctx: AdminContext, { _id: id, workspace: slug }: Token, cascade: boolean): Promise<Token[]> {
  const revocation = { workspace: slug, id, userId: undefined, cascade };
  return revokeToken(ctx, { workspace: slug }, revocation).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return [];
    throw error;
  });
}

async function findTokenOwners(
  ctx: AdminContext,
  options: { workspace?: string | undefined; email?: string | undefined },
): Promise<{ workspaces: string[]; userId: string | undefined }> {
  const user = options.email === undefined ? null : await findExistingUser(ctx, options.email);
  if (options.workspace !== undefined) {
    const { _id: slug } = await findExistingWorkspace(ctx, options.workspace);
    return { workspaces: [slug], userId: user?._id };
  }
  if (!user) throw invalidOption('workspace', 'Name a workspace, or a user by --email.');
  const memberships = await ctx.workspaces.findMembershipsOfUser(user._id);
  return { workspaces: memberships.map((membership) => membership.workspace), userId: user._id };
}
