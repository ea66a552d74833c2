import { createMailer } from '../mail/mailer.js';
import { startMailWorker, type MailWorkerContext } from '../mail/mail-worker.js';
import { resetMailComposer, type ResetMailContext } from './reset-mail.js';

interface MailConfig {
  API_BASE_URL: string;
  SMTP_URL?: string | undefined;
  MAIL_FROM?: string | undefined;
  MAIL_POLL_MS: number;
}

type MailContext = ResetMailContext &
  Omit<MailWorkerContext, 'mailer' | 'composers' | 'pollMs'> & { config: MailConfig };

/** Starts to send mails, if an SMTP server is configured. */
export function startMails(ctx: MailContext): void {
  const { SMTP_URL: url, API_BASE_URL: baseUrl, MAIL_POLL_MS: pollMs } = ctx.config;
  if (url === undefined) return;
  const from = ctx.config.MAIL_FROM ?? `Waymark <no-reply@${new URL(baseUrl).hostname}>`;
  const composers = { password_reset: resetMailComposer(ctx) };
  startMailWorker({ ...ctx, mailer: createMailer({ url, from }), composers, pollMs });
}
