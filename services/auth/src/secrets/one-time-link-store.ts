import { randomBytes } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { ONE_TIME_LINK_PATHS, type OneTimeLinkKind } from '@waymark/contract/console-paths';
import type { Database } from '@waymark/kernel/mongo/database';
import { hashSecret } from './hash-secret.js';

export interface OneTimeLink {
  /** Hash of the token, which is not stored. */
  _id: string;
  kind: OneTimeLinkKind;
  /** The id of the user or the invitation that the link is for. */
  subject: string;
  /** The token was mailed to the address of the subject, and shown to nobody else: its use proves the address. */
  isMailed?: boolean;
  createdAt: Date;
  expiresAt: Date;
}

/** A new link: the only moment when its token is known. */
export interface IssuedLink {
  token: string;
  expiresAt: Date;
}

const HOUR_MS = 3600_000;
const LIFETIME_MS: Readonly<Record<OneTimeLinkKind, number>> = {
  password_reset: HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
};
const TOKEN_BYTES = 32;
/** The length of 32 bytes in base64url. */
export const TOKEN_LENGTH = 43;

/**
 * Links that do one thing once: they carry 256 random bits, of which only a hash is stored, and expire by the
 * database's clock.
 *
 * Issue a link in the transaction of its cause. Look it up with `findLink` to show what it is for; use it up with
 * `useLink`, in the transaction of its effect: of any number of concurrent uses one gets the link.
 */
export class OneTimeLinkStore {
  private readonly links: Model<OneTimeLink>;

  constructor(private readonly db: Database) {
    const schema = new Schema<OneTimeLink>({
      _id: String,
      kind: String,
      subject: String,
      isMailed: Boolean,
      createdAt: Date,
      expiresAt: Date,
    });
    schema.index({ subject: 1, kind: 1 });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.links = db.model<OneTimeLink>('OneTimeLink', schema, 'one_time_links');
  }

  /** Issues a link, valid for an hour (password reset) or seven days (invitation). */
  async issueLink(
    { kind, subject, isMailed }: Pick<OneTimeLink, 'kind' | 'subject' | 'isMailed'>,
    session: ClientSession,
  ): Promise<IssuedLink> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const createdAt = await this.db.now();
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS[kind]);
    const link = { _id: hashSecret(token), kind, subject, ...(isMailed && { isMailed }), createdAt, expiresAt };
    await this.links.insertMany([link], { session, lean: true });
    return { token, expiresAt };
  }

  /** Returns a valid link without using it. @returns `null` for a token that is unknown, expired or used */
  async findLink(kind: OneTimeLinkKind, token: string): Promise<OneTimeLink | null> {
    const filter = { _id: hashSecret(token), kind, expiresAt: { $gt: await this.db.now() } };
    return this.links.findOne(filter).lean<OneTimeLink>();
  }

  /** Uses a link up. @returns `null` for a token that is unknown, expired or used */
  async useLink(kind: OneTimeLinkKind, token: string, session: ClientSession): Promise<OneTimeLink | null> {
    const filter = { _id: hashSecret(token), kind, expiresAt: { $gt: await this.db.now() } };
    return this.links.findOneAndDelete(filter, { session }).lean<OneTimeLink>();
  }

  /** Revokes every link of a kind for this subject. */
  async revokeLinks({ kind, subject }: Pick<OneTimeLink, 'kind' | 'subject'>, session: ClientSession): Promise<void> {
    await this.links.deleteMany({ subject, kind }, { session });
  }
}

/** Returns the address of the console's page for a one-time link. Browsers send no server what is behind `#`: the token. */
export const oneTimeLinkUrl = (apiBaseUrl: string, kind: OneTimeLinkKind, token: string): string =>
  `${apiBaseUrl}${ONE_TIME_LINK_PATHS[kind]}#${token}`;
