import { createMailer } from './mailer.js';
import { startMailWorker, type MailWorkerContext } from './mail-worker.js';

interface MailConfig {
  API_BASE_URL: string;
  SMTP_URL?: string | undefined;
  MAIL_FROM?: string | undefined;
}

type MailContext = Omit<MailWorkerContext, 'mailer'> & { config: MailConfig };

/** Starts to send mails, if an SMTP server is configured. */
export function startMails(ctx: MailContext): void {
  const { SMTP_URL: url, API_BASE_URL: baseUrl } = ctx.config;
  if (url === undefined) return;
  const from = ctx.config.MAIL_FROM ?? `Waymark <no-reply@${new URL(baseUrl).hostname}>`;
  startMailWorker({ ...ctx, mailer: createMailer({ url, from }) });
}
