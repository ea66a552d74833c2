import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { nameOf } from '@waymark/contract/common';
import { KNOWN_EMAIL_MAX, passwordOf } from '@waymark/contract/users';
import { listPage, pageOptions, secretOption } from '@waymark/kernel/command-line/command';
import { mapPage } from '@waymark/kernel/http/reply';
import { presentUser } from '../sign-in/profile/present-user.js';
import { checkNewPassword } from '../secrets/password.js';
import { setPassword } from '../sign-in/sessions/change-password.js';
import { createUser } from '../users/create-user.js';
import { isDisabled, type User } from '../users/user-store.js';
import type { AdminContext } from './context.js';
import { databaseCommand, email, findExistingUser, newEmail, OPERATOR } from './database-command.js';

const password = secretOption(passwordOf('password').optional().describe('password of the user'));
const startsWith = z.string().max(KNOWN_EMAIL_MAX).default('').describe('only e-mail addresses that start with this');
const revokeTokens = z.boolean().default(false).describe('also revoke every access token of the user');

export const USER_COMMANDS = {
  'user list': databaseCommand({
    summary: 'Lists accounts by their e-mail addresses, with their inviter and the number of their workspaces',
    options: z.object({ startsWith, ...pageOptions }),
    run: (ctx, options) =>
      listPage(options, async (page) => {
        const users = await ctx.users.listUsers(options.startsWith, page);
        const [counts, inviters] = await Promise.all([
          ctx.workspaces.countWorkspacesOf(users.items.map(({ _id }) => _id)),
          findInviters(ctx, users.items),
        ]);
        return mapPage(users, (user) => ({
          ...presentAccount(user, inviters),
          workspaces: counts.get(user._id) ?? 0,
        }));
      }),
  }),
  'user show': databaseCommand({
    summary: 'Shows an account with its workspaces and the number of its sessions',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const memberships = await ctx.workspaces.findMembershipsOfUser(user._id);
      const { workspaces } = await presentUser(ctx, { user, memberships, token: null });
      const sessions = await ctx.sessions.listSessions(user._id, await ctx.db.now());
      const inviters = await findInviters(ctx, [user]);
      return { ...presentAccount(user, inviters), sessions: sessions.length, workspaces };
    },
  }),
  'user create': databaseCommand({
    summary: 'Creates an account, and prints a random password unless one is given',
    options: z.object({ email: newEmail, name: nameOf(100).describe('name of the user'), password }),
    run: async (ctx, options) => {
      const { password: chosen, printed } = choosePassword(options.password, options.email);
      const user = await createUser(ctx, { ...options, password: chosen });
      return { id: user._id, email: user.email, name: user.name, password: printed, created_at: user.createdAt };
    },
  }),
  'user password': databaseCommand({
    summary: 'Sets a new password, a random one unless one is given, and ends every session of the user',
    options: z.object({ email, password, revokeTokens }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const { password: chosen, printed } = choosePassword(options.password, user.email);
      const change = { user, password: chosen, keptSessionId: null, revokesTokens: options.revokeTokens };
      const { revokedTokens, liveTokens } = await setPassword(ctx, OPERATOR, change);
      const tokens = { revoked_tokens: revokedTokens, live_tokens: liveTokens };
      return { id: user._id, email: user.email, password: printed, ...tokens };
    },
  }),
};

/** Returns the e-mail addresses of those whose invitations made these accounts. */
async function findInviters({ users }: AdminContext, invited: User[]): Promise<Map<string, string>> {
  const inviters = await users.findUsers(invited.flatMap(({ invitedBy }) => invitedBy ?? []));
  return new Map(inviters.map(({ _id, email }) => [_id, email]));
}

const presentAccount = (user: User, inviters: Map<string, string>) => ({
  id: user._id,
  email: user.email,
  name: user.name,
  created_at: user.createdAt.toISOString(),
  last_signed_in_at: user.lastSignedInAt?.toISOString() ?? null,
  email_confirmed: !user.isEmailUnproven,
  // An inviter who was erased has no address.
  invited_by: user.invitedBy === undefined ? null : (inviters.get(user.invitedBy) ?? user.invitedBy),
  disabled: isDisabled(user),
  totp_enabled: user.totp !== undefined,
});

/** Returns the operator's password or a random one; only a random one is printed. */
function choosePassword(given: string | undefined, address: string): { password: string; printed: string | undefined } {
  if (given !== undefined) {
    checkNewPassword('password', given, address);
    return { password: given, printed: undefined };
  }
  const random = randomBytes(15).toString('base64url');
  return { password: random, printed: random };
}
