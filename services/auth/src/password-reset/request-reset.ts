import type { EventContext } from '@waymark/contract/event';
import { notFound, unavailable } from '@waymark/kernel/errors';
import { usesOfAddress, type Use, type WindowCounter } from '../limits/window-counter.js';
import type { MailStore } from '../mail/mail-store.js';
import { hashSecret } from '../secrets/hash-secret.js';
import { emailKey } from '../users/user-store.js';

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
export async function requestReset(ctx: ResetRequestContext, event: EventContext, email: string): Promise<void> {
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
