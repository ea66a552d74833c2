import { createTransport } from 'nodemailer';

export interface MailText {
  to: string;
  subject: string;
  text: string;
}

/** Sends mails over SMTP. */
export interface Mailer {
  sendMail(mail: MailText): Promise<void>;
}

/** An SMTP server that does not answer must not keep a worker waiting. */
const TIMEOUTS = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 } as const;

/** @param url `smtp://` or `smtps://`, with user and password; upgrades to TLS where the server offers it */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({ url, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true });
  return {
    sendMail: async ({ to, subject, text }) => {
      // As an object the address is never parsed as a list of addresses.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    },
  };
}

/** True when the server will never accept this mail: it rejects the recipient or the message itself. */
export function isPermanentFailure(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return isAboutMail && typeof responseCode === 'number' && responseCode >= 500;
}
