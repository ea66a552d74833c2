import { z } from 'zod';
import { disableTotp } from '../two-factor/disable-totp.js';
import { confirmEmail } from './confirm-email.js';
import { createResetLink } from './create-reset-link.js';
import { databaseCommand, email, findExistingUser, OPERATOR } from './database-command.js';
import { disableUser, enableUser } from './disable-user.js';

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
    summary: 'Records that the user owns the e-mail address of an account that an invitation link made',
    options: z.object({ email }),
    confirm: (options) => `Single sign-on and invitations then lead ${options.email} to this account.`,
    run: async (ctx, options) => {
      const user = await findExistingUser(ctx, options.email);
      await confirmEmail(ctx, OPERATOR, user);
      return { id: user._id, email: user.email, email_confirmed: true };
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
