import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { nameOf } from '@waymark/contract/common';
import { KNOWN_EMAIL_MAX, passwordOf } from '@waymark/contract/users';
import { listPage, pageOptions, secretOption } from '@waymark/kernel/command-line/command';
import { mapPage } from '@waymark/kernel/http/reply';
import { presentUser } from '../profile/present-user.js';
import { checkNewPassword } from '../secrets/password.js';
import { setPassword } from '../sessions/change-password.js';
import { createUser } from '../users/create-user.js';
import { isDisabled, type User } from '../users/user-store.js';
import { databaseCommand, email, findExistingUser, newEmail, OPERATOR } from './database-command.js';

const password = secretOption(passwordOf('password').optional().describe('password of the user'));
const startsWith = z.string().max(KNOWN_EMAIL_MAX).default('').describe('only e-mail addresses that start with this');

export const USER_COMMANDS = {
  'user list': databaseCommand({
    summary: 'Lists accounts by their e-mail addresses',
    options: z.object({ startsWith, ...pageOptions }),
    run: (ctx, options) =>
      listPage(options, async (page) => mapPage(await ctx.users.listUsers(options.startsWith, page), presentAccount)),
  }),
  'user show': databaseCommand({
    summary: 'Shows an account with its workspaces and the number of its sessions',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const memberships = await ctx.workspaces.findMembershipsOfUser(user._id);
      const { workspaces } = await presentUser(ctx, { user, memberships, token: null });
      const sessions = await ctx.sessions.listSessions(user._id, await ctx.db.now());
      return { ...presentAccount(user), sessions: sessions.length, workspaces };
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
    options: z.object({ email, password }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const { password: chosen, printed } = choosePassword(options.password, user.email);
      await setPassword(ctx, OPERATOR, { user, password: chosen, keptSessionId: null });
      return { id: user._id, email: user.email, password: printed };
    },
  }),
};

const presentAccount = (user: User) => ({
  id: user._id,
  email: user.email,
  name: user.name,
  created_at: user.createdAt.toISOString(),
  last_signed_in_at: user.lastSignedInAt?.toISOString() ?? null,
  email_confirmed: !user.isEmailUnproven,
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
