import type { ClientSession, Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { findPage } from '@waymark/kernel/mongo/find-page';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import { Quota } from '@waymark/kernel/mongo/quota';
import { endpointModel, type Endpoint } from './endpoint.js';

export const ENDPOINTS_MAX = 20;

const HOUR_MS = 3_600_000;
const UPDATES_AT_ONCE = 500;

export type Subscriber = Pick<Endpoint, '_id' | 'workspace' | 'eventTypes' | 'pendingCount'>;

interface StaleSecretsFilter {
  /** Names the keys of this process except the first. */
  oldKeyIds: string[];
  afterId: string;
  now: Date;
  limit: number;
}

/** The endpoints as their owners see them. Every query of a request names its workspace. */
export class EndpointStore {
  private readonly endpoints: Model<Endpoint>;
  private readonly quota: Quota;

  constructor(db: Database) {
    this.endpoints = endpointModel(db);
    this.quota = new Quota(db, 'webhooks', (workspace) => this.endpoints.countDocuments({ workspace }).exec());
  }

  /** Call it before the transaction that inserts. @throws AppError if the workspace is at its limit */
  prepareQuota(workspace: string): Promise<void> {
    return this.quota.prepareReservation(workspace, ENDPOINTS_MAX);
  }

  /** @throws AppError if the workspace is at its limit, also with concurrent inserts */
  async insertEndpoint(endpoint: Endpoint, session: ClientSession): Promise<void> {
    await this.quota.reserveUnits({ owner: endpoint.workspace, limit: ENDPOINTS_MAX }, session);
    await this.endpoints.insertMany([endpoint], { session, lean: true });
  }

  countEndpoints(workspace: string): Promise<number> {
    return this.quota.countUsed(workspace);
  }

  findPage(workspace: string, page: Page): Promise<PageOf<Endpoint>> {
    return findPage({ model: this.endpoints, where: { workspace } }, page);
  }

  findEndpoint(workspace: string, id: string, session?: ClientSession): Promise<Endpoint | null> {
    return this.endpoints.findOne({ _id: id, workspace }, {}, { session }).lean<Endpoint>().exec();
  }

  /** Writes the editable fields, in the transaction that read `before`: concurrent updates can't undo each other. */
  async updateEndpoint(before: Endpoint, after: Endpoint, session: ClientSession): Promise<void> {
    const { url, description, eventTypes, enabled, secrets, disabledAt, updatedAt, revision } = after;
    const change = { url, description, eventTypes, enabled, secrets, disabledAt, updatedAt, revision };
    const isReset = after.enabled && !before.enabled;
    await this.endpoints.updateOne(
      { _id: before._id },
      isReset ? { $set: { ...change, consecutiveFailures: 0 }, $unset: { failingSince: 1 } } : { $set: change },
      { session, timestamps: false },
    );
  }

  /** @returns the deleted endpoint, or null if there was none. */
  async deleteEndpoint(workspace: string, id: string, session: ClientSession): Promise<Endpoint | null> {
    const deleted = await this.endpoints.findOneAndDelete({ _id: id, workspace }, { session }).lean<Endpoint>();
    if (deleted) await this.quota.releaseUnits({ owner: workspace }, session);
    return deleted;
  }

  /** Returns the enabled endpoints, in the workspaces of these events, that subscribe to one of their types. */
  findSubscribers(events: readonly { workspace: string; type: string }[]): Promise<Subscriber[]> {
    const workspace = { $in: [...new Set(events.map((event) => event.workspace))] };
    const eventTypes = { $in: [...new Set(events.map(({ type }) => type))] };
    const fields = { workspace: 1, eventTypes: 1, pendingCount: 1 };
    return this.endpoints.find({ workspace, eventTypes, enabled: true }, fields).lean<Subscriber[]>().exec();
  }

  /** Makes endpoints due at this time. @param added the number of attempts added to each */
  async scheduleWork(added: ReadonlyMap<string, number>, dueAt: Date, session?: ClientSession): Promise<void> {
    // The same order everywhere: writers that lock the same rows in different orders would deadlock.
    const updates = [...added]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([_id, count]) => ({
        updateOne: {
          filter: { _id },
          update: { $min: { dueAt }, $inc: { wakeNo: 1, pendingCount: count } },
        },
      }));
    for (let start = 0; start < updates.length; start += UPDATES_AT_ONCE) {
      const batch = updates.slice(start, start + UPDATES_AT_ONCE);
      await this.endpoints.bulkWrite(batch, { ordered: false, timestamps: false, session });
    }
  }

  /** @returns false if the owner was notified of dropped deliveries within the last hour. */
  async claimDropNotice(endpointId: string, now: Date): Promise<boolean> {
    const hourAgo = new Date(now.getTime() - HOUR_MS);
    const result = await this.endpoints.updateOne(
      { _id: endpointId, $or: [{ dropNoticedAt: { $exists: false } }, { dropNoticedAt: { $lte: hourAgo } }] },
      { $set: { dropNoticedAt: now } },
      { timestamps: false },
    );
    return result.matchedCount === 1;
  }

  /** Returns the next endpoints with secrets that an old key has sealed, or that have expired. */
  findStaleSecrets({ oldKeyIds, afterId, now, limit }: StaleSecretsFilter): Promise<Endpoint[]> {
    return this.endpoints
      .find({ _id: { $gt: afterId }, $or: [sealedByAny(oldKeyIds), hasExpired(now)] })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Endpoint[]>()
      .exec();
  }

  /** Counts the endpoints that still need a key other than this one. */
  countUnderOldKeys(currentKeyId: string): Promise<number> {
    return this.endpoints.countDocuments(sealedByOther(currentKeyId)).exec();
  }

  /** Does nothing if a user has changed the endpoint meanwhile: the next round retries. */
  async replaceSecrets({ _id, revision }: Endpoint, secrets: Endpoint['secrets']): Promise<void> {
    await this.endpoints.updateOne({ _id, revision }, { $set: { secrets } }, { timestamps: false });
  }

  /** Returns the ids of keys that valid secrets need and these lack. */
  async findMissingKeys(keyIds: string[], now: Date): Promise<string[]> {
    const missing: string[] = [];
    for (;;) {
      const next = await this.findMissingKey([...keyIds, ...missing], now);
      if (next === null) return missing;
      missing.push(next);
    }
  }

  /** Returns whether one of these keys has sealed a secret. */
  async hasSecretsUnder(keyIds: string[]): Promise<boolean> {
    return (await this.endpoints.exists(sealedByAny(keyIds))) !== null;
  }

  /** Counts the endpoints whose current secret needs a key other than these. */
  countUnderMissingKeys(keyIds: string[]): Promise<number> {
    const current = { keyId: { $nin: keyIds }, expiresAt: null };
    return this.endpoints.countDocuments({ secrets: { $elemMatch: current } }).exec();
  }

  /** Makes the endpoints due whose attempts waited for one of these keys. */
  async resumeWithKeys(keyIds: string[], dueAt: Date): Promise<void> {
    await this.endpoints.updateMany(
      { missingKeyId: { $in: keyIds } },
      { $min: { dueAt }, $inc: { wakeNo: 1 }, $unset: { missingKeyId: 1 } },
      { timestamps: false },
    );
  }

  private async findMissingKey(keyIds: string[], now: Date): Promise<string | null> {
    const needed = { keyId: { $nin: keyIds }, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
    const endpoint = await this.endpoints.findOne({ secrets: { $elemMatch: needed } }, { secrets: 1 }).lean();
    return (
      endpoint?.secrets.find(
        ({ keyId, expiresAt }) => !keyIds.includes(keyId) && (expiresAt === null || expiresAt > now),
      )?.keyId ?? null
    );
  }
}

const sealedByAny = (keyIds: string[]) => ({ secrets: { $elemMatch: { keyId: { $in: keyIds } } } });
const sealedByOther = (keyId: string) => ({ secrets: { $elemMatch: { keyId: { $ne: keyId } } } });
const hasExpired = (now: Date) => ({ secrets: { $elemMatch: { expiresAt: { $lte: now } } } });
