import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
}

type Verdict = 'accept' | { code: number };

/** A real SMTP server on loopback, which keeps what it receives. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** How often a client began to send a mail. */
  attempts = 0;
  /** What the server answers to the recipient of a mail. */
  verdict: Verdict = 'accept';
  private readonly server: SMTPServer;

  private constructor() {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onMailFrom: (_address, _session, callback) => {
        this.attempts += 1;
        callback();
      },
      onRcptTo: (_address, _session, callback) => {
        if (this.verdict === 'accept') return callback();
        callback(Object.assign(new Error('not now'), { responseCode: this.verdict.code }));
      },
      onData: (stream, { envelope: { mailFrom, rcptTo } }, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.once('end', () => {
          const from = mailFrom ? mailFrom.address : '';
          this.received.push({ from, to: rcptTo.map(({ address }) => address), raw: String(Buffer.concat(chunks)) });
          callback();
        });
      },
    });
  }

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  to(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to.includes(address));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** Returns the text of a mail: undoes quoted-printable. */
export function textOf({ raw }: ReceivedMail): string {
  const body = raw.split('\r\n\r\n').slice(1).join('\n\n');
  return body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
