import type { Database } from '@waymark/kernel/mongo/database';
import { backoffMs } from '@waymark/kernel/async/backoff';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { Mail, MailKind, MailStore } from './mail-store.js';
import { createMailer, isPermanentFailure, type MailText, type Mailer } from './mailer.js';

/** Composes the text of a mail. @returns `null` when there is nothing to send: the account does not exist, for example */
export type ComposeMail = (mail: Mail) => Promise<MailText | null>;
export type Composers = Readonly<Partial<Record<MailKind, ComposeMail>>>;

export interface MailWorkerContext extends WorkerContext {
  db: Database;
  mails: MailStore;
  mailer: Mailer;
  composers: Composers;
  metrics: Metrics;
}

const POLL_MS = 1000;
/** Mails that a process sends at the same time. */
const CONCURRENT_MAX = 4;
/** Longer than any attempt to send takes. */
const LEASE_MS = 120_000;
const RETRY_MIN_MS = 5000;
const RETRY_MAX_MS = 10 * 60_000;

type Outcome = 'sent' | 'not_needed' | 'postponed' | 'rejected' | 'expired';

/**
 * Sends the queued mails in the background. A failed mail is retried with a growing delay until it expires; one that the
 * server rejects for good is dropped. A crash between sending and deleting sends a mail twice.
 */
export function startMailWorker(ctx: MailWorkerContext): void {
  const counter = ctx.metrics.counter('mails_total', 'Attempts to send a mail, by outcome', ['outcome']);
  ctx.metrics.showDamagedRows('mails', () => ctx.mails.countDamaged());
  const sendNext = async (): Promise<boolean> => {
    const mail = await ctx.mails.takeMail(LEASE_MS);
    if (!mail) return false;
    counter.inc({ outcome: await handleMail(ctx, mail) });
    return true;
  };
  runPeriodically(ctx, {
    name: 'mails',
    intervalMs: POLL_MS,
    runOnce: async () => {
      if (!ctx.db.isReady) return false;
      const handled = await Promise.all(Array.from({ length: CONCURRENT_MAX }, sendNext));
      return handled.includes(true);
    },
  });
}

async function handleMail(ctx: MailWorkerContext, mail: Mail): Promise<Outcome> {
  const { log, mails } = ctx;
  if (mail.expiresAt <= (await ctx.db.now())) {
    log.warn({ kind: mail.kind, attempts: mail.attempts }, 'a mail expired before it could be sent');
    await mails.deleteMail(mail);
    return 'expired';
  }
  let text: MailText | null;
  try {
    text = (await ctx.composers[mail.kind]?.(mail)) ?? null;
    if (text) await ctx.mailer.sendMail(text);
  } catch (error) {
    return handleFailure(ctx, mail, error);
  }
  await mails.deleteMail(mail);
  return text ? 'sent' : 'not_needed';
}

async function handleFailure({ log, mails }: MailWorkerContext, mail: Mail, error: unknown): Promise<Outcome> {
  if (isPermanentFailure(error)) {
    log.warn({ err: error, kind: mail.kind }, 'the SMTP server rejected a mail');
    await mails.deleteMail(mail);
    return 'rejected';
  }
  log.warn({ err: error, kind: mail.kind, attempts: mail.attempts }, 'a mail was not sent, tried again later');
  await mails.postponeMail(mail, backoffMs(mail.attempts - 1, RETRY_MIN_MS, RETRY_MAX_MS));
  return 'postponed';
}

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
