import { z } from 'zod';
import { dryRun } from '@waymark/kernel/command-line/command';
import type { EventContext } from '@waymark/contract/event';
import { invalidOption } from '@waymark/kernel/errors';
import { ConfigError } from '@waymark/kernel/process/config';
import { disableTotp } from '../sign-in/two-factor/disable-totp.js';
import { confirmEmail, countReclaimed, describeConfirmation } from './confirm-email.js';
import { OPERATOR, databaseCommand, email, findExistingUser } from './database-command.js';
import { disableUser, enableUser } from './disable-user.js';
import { oneTimeLinkUrl } from '../secrets/one-time-link-store.js';
import { issueResetLink } from '../sign-in/password-reset/issue-reset-link.js';
import { isDisabled, type User } from '../users/user-store.js';
import type { AdminContext } from './context.js';

/** Commands for users who have lost a password, an authenticator app or control of their account, or whose address is in doubt. */
export const ACCESS_COMMANDS = {
  'user reset-password': databaseCommand({
    summary: 'Prints a link with which the user sets a new password, once and within an hour',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const { url, expiresAt, isMailed } = await createResetLink(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, reset_url: url, expires_at: expiresAt, mailed: isMailed };
    },
  }),
  'user disable': databaseCommand({
    summary: 'Ends every session of the user, and refuses sign-ins and tokens until the user is enabled again',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const endedCount = await disableUser(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, disabled: true, ended_sessions: endedCount ?? 0 };
    },
  }),
  'user enable': databaseCommand({
    summary: 'Enables a disabled user; ended sessions stay ended',
    options: z.object({ email }),
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await enableUser(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, disabled: false };
    },
  }),
  'user confirm-email': databaseCommand({
    summary:
      'Records that the user owns the e-mail address of an account that an invitation link made, and ends what its maker had',
    options: z.object({ email, dryRun }),
    confirmWith: (ctx, options) => describeConfirmation(ctx, options.email),
    needsConfirmation: async (ctx, options) => (await findExistingUser(ctx, options.email)).isEmailUnproven === true,
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      const inviter = user.invitedBy === undefined ? null : await ctx.users.findUser(user.invitedBy);
      const reclaimed = await (options.dryRun ? countReclaimed(ctx, user) : confirmEmail(ctx, OPERATOR, user));
      return {
        id: user._id,
        email: user.email,
        created_at: user.createdAt.toISOString(),
        invited_by: inviter?.email ?? user.invitedBy ?? null,
        dry_run: options.dryRun,
        email_confirmed: !options.dryRun || reclaimed === null,
        ended_sessions: reclaimed?.sessions ?? 0,
        revoked_tokens: reclaimed?.tokens ?? 0,
        totp_disabled: reclaimed?.totp ?? false,
        password_removed: reclaimed !== null,
      };
    },
  }),
  'user disable-totp': databaseCommand({
    summary: 'Disables two-factor sign-in of a user who has lost the authenticator app and the recovery codes',
    options: z.object({ email }),
    confirm: (options) => `Afterwards, the password alone opens the account of ${options.email}.`,
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await disableTotp(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, totp_enabled: false };
    },
  }),
};

/** Returns a link with which a user sets a new password; with an SMTP server the user also gets a mail with a link. */
async function createResetLink(
  ctx: AdminContext,
  event: EventContext,
  user: User,
): Promise<{ url: string; expiresAt: Date; isMailed: boolean }> {
  const { API_BASE_URL: baseUrl, SMTP_URL: smtpUrl } = ctx.config;
  const isMailed = smtpUrl !== undefined;
  if (baseUrl === undefined) throw new ConfigError('API_BASE_URL is not set');
  if (isDisabled(user)) throw invalidOption('email', 'The user is disabled. Enable the user first.');
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const mail = { kind: 'password_reset', subject: user.email, ipAddress: null, requestId: null } as const;
  const { token, expiresAt } = await ctx.db.transaction(async (tx) => {
    if (isMailed) await ctx.mails.enqueueMail(mail, tx.session);
    return issueResetLink(ctx.links, { user, workspaces, event, isMailed: false }, tx);
  });
  return { url: oneTimeLinkUrl(baseUrl, 'password_reset', token), expiresAt, isMailed };
}
