import type { EventContext } from '@waymark/contract/event';
import { notFound, unavailable } from '@waymark/kernel/errors';
import type { MailStore } from '../mail/mail-store.js';
import type { ResetRequestLimits } from './reset-request-limits.js';

export interface ResetRequestContext {
  config: { SMTP_URL?: string | undefined };
  mails: MailStore;
  resetRequestLimits: ResetRequestLimits;
}

/**
 * Queues a mail with a link for this address. The worker looks the account up later: known and unknown addresses take
 * the same steps here, so that neither the response nor its time reveals which accounts exist.
 * @throws AppError `not_found` without an SMTP server; `rate_limit_exceeded`; `service_unavailable` when too many wait
 */
export async function requestReset(ctx: ResetRequestContext, event: EventContext, email: string): Promise<void> {
  if (ctx.config.SMTP_URL === undefined) throw notFound('This installation sends no links to reset a password.');
  const [ipAddress, requestId] = [event.ipAddress ?? null, event.requestId ?? null];
  await ctx.resetRequestLimits.countRequest({ email, address: ipAddress });
  if (!(await ctx.mails.hasRoom())) throw unavailable(new Error('too many mails wait to be sent'));
  await ctx.mails.enqueueMail({ kind: 'password_reset', subject: email, ipAddress, requestId });
}
