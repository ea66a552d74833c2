import { randomUUID } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { countDamaged } from '@waymark/kernel/mongo/count-damaged';
import type { Database } from '@waymark/kernel/mongo/database';

export type MailKind = 'password_reset' | 'invitation';

/**
 * A mail that is to be sent. Its text is composed when it is sent, so that no secret of a link is stored; until then only
 * its subject is known: a user's e-mail address, or the id of an invitation.
 */
export interface Mail {
  _id: string;
  kind: MailKind;
  subject: string;
  /** The request that caused it. */
  ipAddress: string | null;
  requestId: string | null;
  attempts: number;
  /** When a worker may try to send it; a worker that tries moves it on, so that no other one does. */
  dueAt: Date;
  /** It is not sent after this time. */
  expiresAt: Date;
}

export type NewMail = Pick<Mail, 'kind' | 'subject' | 'ipAddress' | 'requestId'>;

const HOUR_MS = 3600_000;
const LIFETIME_MS: Readonly<Record<MailKind, number>> = { password_reset: HOUR_MS, invitation: 24 * HOUR_MS };
/** Mails that may wait, e.g. while the SMTP server is unavailable. */
const PENDING_MAX = 10_000;
/** A row without a valid number could not be taken and would block the others. */
const VALID = { attempts: { $gte: 0 } };

/** The mails that wait to be sent. */
export class MailStore {
  private readonly mails: Model<Mail>;

  constructor(private readonly db: Database) {
    const schema = new Schema<Mail>({
      _id: String,
      kind: String,
      subject: String,
      ipAddress: String,
      requestId: String,
      attempts: Number,
      dueAt: Date,
      expiresAt: Date,
    });
    schema.index({ dueAt: 1 });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: HOUR_MS / 1000 });
    this.mails = db.model<Mail>('Mail', schema, 'mails');
  }

  /** Whether the queue has room. Not exact under concurrency: a few more do no harm. */
  async hasRoom(): Promise<boolean> {
    return (await this.mails.estimatedDocumentCount()) < PENDING_MAX;
  }

  /** Queues a mail, in the transaction of its cause if it has one. */
  async enqueueMail(mail: NewMail, session?: ClientSession): Promise<void> {
    const dueAt = await this.db.now();
    const expiresAt = new Date(dueAt.getTime() + LIFETIME_MS[mail.kind]);
    await this.mails.insertMany([{ ...mail, _id: randomUUID(), attempts: 0, dueAt, expiresAt }], {
      session,
      lean: true,
    });
  }

  /** Takes a mail that is due; no other worker takes it within `leaseMs`. */
  async takeMail(leaseMs: number): Promise<Mail | null> {
    const now = await this.db.now();
    const update = { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } };
    const due = { dueAt: { $lte: now }, ...VALID };
    return this.mails.findOneAndUpdate(due, update, { sort: { dueAt: 1 }, returnDocument: 'after' }).lean<Mail>();
  }

  /** Counts the mails that cannot be taken. There are few mails, so it needs no index. */
  countDamaged(): Promise<number> {
    return countDamaged(this.mails, { $nor: [{ dueAt: { $type: 'date' }, ...VALID }] });
  }

  async postponeMail({ _id }: Mail, delayMs: number): Promise<void> {
    const dueAt = new Date((await this.db.now()).getTime() + delayMs);
    await this.mails.updateOne({ _id }, { $set: { dueAt } });
  }

  async deleteMail({ _id }: Mail): Promise<void> {
    await this.mails.deleteOne({ _id });
  }
}
