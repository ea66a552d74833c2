import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { startOfUtcDay } from '../time/utc-day.js';

export const SALT_LIFETIME_MS = 48 * 3600 * 1000;
/** How far an edge's clock may be ahead of ours. */
const CLOCK_SKEW_MS = 3600 * 1000;
const SALT_BYTES = 32;

interface SaltRow {
  _id: string;
  salt: string;
  expiresAt: Date;
}

/** Returns when the salt of a UTC day is destroyed: 48 h after the day began. */
function saltExpiry(day: string): Date {
  return new Date(startOfUtcDay(day) + SALT_LIFETIME_MS);
}

/**
 * One random salt per UTC day, shared by all workers. After 48 h it is deleted from the database and from memory; then
 * scans cannot be linked to visitors any more.
 */
export class Salts {
  private readonly rows: Model<SaltRow>;
  /** Key objects, because an HMAC with a buffer takes seven times as long in Node.js 24. */
  private readonly cache = new Map<string, KeyObject>();

  constructor(
    db: Database,
    private readonly now: () => number = Date.now,
  ) {
    const schema = new Schema<SaltRow>({ _id: String, salt: String, expiresAt: Date });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.rows = db.model<SaltRow>('Salt', schema, 'salts');
  }

  /** @returns null for a day whose salt is destroyed, and for a future day */
  async saltOfDay(day: string): Promise<KeyObject | null> {
    const expiresAt = saltExpiry(day);
    const begins = startOfUtcDay(day) - CLOCK_SKEW_MS;
    if (this.now() >= expiresAt.getTime()) this.cache.delete(day);
    if (this.now() < begins || this.now() >= expiresAt.getTime()) return null;
    const salt = this.cache.get(day) ?? (await this.loadSalt(day, expiresAt));
    if (!this.cache.has(day)) this.cacheSalt(day, salt, expiresAt);
    return salt;
  }

  /** Inserts rather than upserts: DocumentDB lets a concurrent upsert overwrite what `$setOnInsert` has set. */
  private async loadSalt(day: string, expiresAt: Date): Promise<KeyObject> {
    const row = await this.rows.findById(day).lean<SaltRow>();
    if (row) return createSecretKey(row.salt, 'base64');
    const salt = randomBytes(SALT_BYTES);
    try {
      await this.rows.insertMany([{ _id: day, salt: salt.toString('base64'), expiresAt }], { lean: true });
      return createSecretKey(salt);
    } catch (error) {
      // Another worker has created it at the same moment.
      if (!isDuplicateKey(error)) throw error;
      return this.loadSalt(day, expiresAt);
    }
  }

  private cacheSalt(day: string, salt: KeyObject, expiresAt: Date): void {
    this.cache.set(day, salt);
    setTimeout(() => this.cache.delete(day), expiresAt.getTime() - this.now()).unref();
  }
}

/** 132 bits make collisions negligible. */
const VISITOR_LENGTH = 22;

/**
 * Returns a pseudonym for one UTC day: it cannot be traced back to a visitor without the salt of the day.
 * @returns null when the salt is destroyed or the address is missing (as in a replayed message)
 */
export function visitorPseudonym(salt: KeyObject | null, address: string, userAgent: string): string | null {
  if (!salt || address === '') return null;
  return createHmac('sha256', salt).update(`${address}\n${userAgent}`).digest('base64url').slice(0, VISITOR_LENGTH);
}
