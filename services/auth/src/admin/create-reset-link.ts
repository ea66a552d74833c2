import type { EventContext } from '@waymark/contract/event';
import { invalidOption } from '@waymark/kernel/errors';
import { ConfigError } from '@waymark/kernel/process/config';
import { oneTimeLinkUrl } from '../one-time-links/link-url.js';
import { issueResetLink } from '../password-reset/issue-reset-link.js';
import { isDisabled, type User } from '../users/user-store.js';
import type { AdminContext } from './context.js';

/** Returns a link with which a user sets a new password; with an SMTP server the user also gets a mail with a link. */
export async function createResetLink(
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
