import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { nameOf, slugOf, workspaceSlug } from '@waymark/contract/common';
import { planName } from '@waymark/contract/plans';
import { role, type Ability } from '@waymark/contract/roles';
import { passwordOf } from '@waymark/contract/users';
import { createToken as createTokenInput } from '@waymark/contract/tokens';
import { newSlug } from '@waymark/contract/workspaces';
import type { Command } from '@waymark/kernel/process/command-line';
import { invalid } from '@waymark/kernel/errors';
import { setMember } from '../members/set-member.js';
import { isCommonPassword } from '../secrets/password.js';
import { setPassword } from '../sessions/change-password.js';
import { createToken } from '../tokens/create-token.js';
import { presentToken } from '../tokens/present-token.js';
import { createUser } from '../users/create-user.js';
import type { User } from '../users/user-store.js';
import { createWorkspace } from '../workspaces/create-workspace.js';
import { setPlan } from '../workspaces/set-plan.js';
import { disableTotp } from '../two-factor/disable-totp.js';
import type { AdminContext, AdminTargets } from './context.js';
import { createResetLink } from './create-reset-link.js';
import { disableUser, enableUser } from './disable-user.js';

type AdminCommand = Command<AdminTargets>;

interface DatabaseCommand<S extends z.ZodObject> {
  usage: string;
  options: S;
  run: (ctx: AdminContext, options: z.output<S>) => Promise<unknown>;
}

function databaseCommand<S extends z.ZodObject>(definition: DatabaseCommand<S>): AdminCommand {
  const command: Command<AdminTargets, S> = {
    ...definition,
    run: (targets, options) => targets.database((ctx) => definition.run(ctx, options)),
  };
  return command;
}

const email = z.email('must be an e-mail address').max(320);
const name = nameOf(100);
const password = passwordOf('password').refine((text) => !isCommonPassword(text), 'The password is too common.');
const OPERATOR = { workspace: null };

async function findExistingUser(ctx: AdminContext, address: string): Promise<User> {
  const user = await ctx.users.findUserByEmail(address);
  if (!user) throw invalid({ email: ['The user does not exist.'] });
  return user;
}

/** Returns the operator's password or a random one; only a random one is printed. */
function choosePassword(given: string | undefined): { password: string; printed: string | undefined } {
  if (given !== undefined) return { password: given, printed: undefined };
  const random = randomBytes(15).toString('base64url');
  return { password: random, printed: random };
}

const GRANTS: Record<string, Ability[]> = { read: ['read'], write: ['write'], read_write: ['read', 'write'] };

export const COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'user create': databaseCommand({
    usage: '--email E --name N [--password P]  (prints a random password unless one is given)',
    options: z.object({ email, name, password: password.optional() }),
    run: async (ctx, options) => {
      const { password: chosen, printed } = choosePassword(options.password);
      const user = await createUser(ctx, { ...options, password: chosen });
      return { id: user._id, email: user.email, name: user.name, password: printed, created_at: user.createdAt };
    },
  }),
  'user password': databaseCommand({
    usage:
      '--email E [--password P]  (sets a new password and ends every session of theirs; prints a random one unless one is given)',
    options: z.object({ email, password: password.optional() }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const { password: chosen, printed } = choosePassword(options.password);
      await setPassword(ctx, OPERATOR, { user, password: chosen, keptSessionId: null });
      return { id: user._id, email: user.email, password: printed };
    },
  }),
  'user reset-password': databaseCommand({
    usage: '--email E  (prints a link with which the user sets a new password, once and within an hour)',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const { url, expiresAt } = await createResetLink(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, reset_url: url, expires_at: expiresAt };
    },
  }),
  'user disable': databaseCommand({
    usage: '--email E  (ends every session of theirs, and refuses their tokens until they are enabled again)',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const endedCount = await disableUser(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, disabled: true, ended_sessions: endedCount ?? 0 };
    },
  }),
  'user enable': databaseCommand({
    usage: '--email E  (sessions that were ended stay ended)',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await enableUser(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, disabled: false };
    },
  }),
  'user disable-totp': databaseCommand({
    usage: '--email E  (for a user who has lost the authenticator app and the recovery codes)',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await disableTotp(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, totp_enabled: false };
    },
  }),
  'workspace create': databaseCommand({
    usage: '--slug S --name N --owner E [--plan free|pro|business|enterprise]',
    options: z.object({ slug: newSlug, name, owner: email, plan: planName.optional() }),
    run: async (ctx, { slug, name: workspaceName, owner, plan }) => {
      const user = await findExistingUser(ctx, owner);
      const input = { slug, name: workspaceName, owner: user, plan: plan ?? null };
      const workspace = await createWorkspace(ctx, OPERATOR, input);
      return { slug, name: workspace.name, owner: user.email, plan: plan ?? ctx.config.DEFAULT_PLAN };
    },
  }),
  'workspace plan': databaseCommand({
    usage: '--slug S --plan free|pro|business|enterprise',
    options: z.object({ slug: slugOf('slug'), plan: planName }),
    run: async (ctx, { slug, plan }) => {
      await setPlan(ctx, OPERATOR, { slug, plan });
      return { slug, plan };
    },
  }),
  'member set': databaseCommand({
    usage: '--workspace S --email E --role owner|admin|editor|analyst|viewer',
    options: z.object({ workspace: workspaceSlug, email, role }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      if (!(await ctx.workspaces.findWorkspace(options.workspace)))
        throw invalid({ workspace: ['The workspace does not exist.'] });
      const { workspace, role: newRole } = options;
      await setMember(ctx, OPERATOR, { workspace, user, role: newRole, changedBy: 'operator', mode: 'set' });
      return { workspace: options.workspace, email: user.email, role: options.role };
    },
  }),
  'token create': databaseCommand({
    usage: '--workspace S --email E --name N --ability read|write|read_write',
    options: z.object({
      workspace: workspaceSlug,
      email,
      name: createTokenInput.shape.name,
      ability: z.enum(['read', 'write', 'read_write']),
    }),
    run: async (ctx, { workspace, email: address, name: tokenName, ability }) => {
      const user = await findExistingUser(ctx, address);
      if (!(await ctx.workspaces.findMembership(workspace, user._id))) {
        throw invalid({ email: ['The user is not a member of this workspace.'] });
      }
      const grants = GRANTS[ability]!;
      const input = { workspace, userId: user._id, name: tokenName, grants, expiresAt: null };
      const { token, plaintext } = await createToken(ctx, { workspace }, input);
      return { ...presentToken(token, user), plaintext_token: plaintext };
    },
  }),
};
