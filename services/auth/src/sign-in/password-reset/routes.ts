import type { Handlers } from '@waymark/kernel/http/api';
import { item, noContent } from '@waymark/kernel/http/reply';
import type { EventContext } from '@waymark/contract/event';
import { notFound, unavailable } from '@waymark/kernel/errors';
import { resetPassword, type PasswordResetContext } from './reset-password.js';
import { usesOfAddress, type Use, type WindowCounter } from '../../limits/window-counter.js';
import type { MailStore } from '../../mail/mail-store.js';
import { hashSecret } from '../../secrets/hash-secret.js';
import { emailKey } from '../../users/user-store.js';

type Names = 'user.resetPassword' | 'user.requestPasswordReset';

export function passwordResetHandlers(ctx: PasswordResetContext & ResetRequestContext): Pick<Handlers<'auth'>, Names> {
  return {
    'user.resetPassword': async ({ body, eventContext }) => {
      const outcome = await resetPassword(ctx, eventContext, body);
      const data = {
        ended_sessions: outcome.endedSessions,
        revoked_tokens: outcome.revokedTokens,
        totp_disabled: outcome.isTotpDisabled,
        email_confirmed: outcome.isEmailConfirmed,
      };
      return item(data, { live_tokens: outcome.liveTokens });
    },
    'user.requestPasswordReset': async ({ body, eventContext }) => {
      await requestReset(ctx, eventContext, body.email);
      return noContent();
    },
  };
}

export interface ResetRequestContext {
  config: { SMTP_URL?: string | undefined };
  mails: MailStore;
  limits: WindowCounter;
}

/**
 * Queues a mail with a link for this address. The worker looks the account up later: known and unknown addresses take
 * the same steps here, so that neither the response nor its time reveals which accounts exist.
 * @throws AppError `not_found` without an SMTP server; `rate_limit_exceeded`; `service_unavailable` when too many wait
 */
async function requestReset(ctx: ResetRequestContext, event: EventContext, email: string): Promise<void> {
  if (ctx.config.SMTP_URL === undefined) throw notFound('This installation sends no links to reset a password.');
  const [ipAddress, requestId] = [event.ipAddress ?? null, event.requestId ?? null];
  const uses: Use[] = [
    ...usesOfAddress('resetRequestsOfAddress', ipAddress),
    { limit: 'resetRequestsOfAccount', key: hashSecret(emailKey(email)) },
  ];
  await ctx.limits.countOrRefuse(uses, 'Too many requests for a new password. Try again later.');
  if (!(await ctx.mails.hasRoom())) throw unavailable(new Error('too many mails wait to be sent'));
  await ctx.mails.enqueueMail({ kind: 'password_reset', subject: email, ipAddress, requestId });
}
