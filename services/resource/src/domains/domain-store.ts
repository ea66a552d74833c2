import { Schema, type ClientSession, type Model } from 'mongoose';
import type { DomainSnapshot } from '@waymark/contract/events';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { olderThan } from '@waymark/kernel/mongo/upsert-if-newer';
import type { LinkCountChange } from '../links/ports.js';
import { correctDrifts, findDrifts, type Drifts } from '../links/link-count-drifts.js';

/** The local copy of a custom domain; a deleted one stays, so that an older event cannot restore it. */
export interface Domain {
  _id: string;
  workspace: string;
  hostname: string;
  status: DomainSnapshot['status'] | 'deleted';
  revision: number;
  /** The number of links served on it. */
  linksCount: number;
}

export type HostOfDomain = Pick<Domain, '_id' | 'workspace' | 'hostname'>;

const SERVING: Domain['status'][] = ['verified', 'degraded'];
export const isServing = ({ status }: Pick<Domain, 'status'>): boolean => SERVING.includes(status);

/** A copy of the domains that another service owns. */
export class DomainStore {
  private readonly domains: Model<Domain>;

  constructor(db: Database) {
    const schema = new Schema<Domain>({
      _id: String,
      workspace: String,
      hostname: String,
      status: String,
      revision: Number,
      linksCount: Number,
    });
    schema.index({ hostname: 1 });
    this.domains = db.model<Domain>('Domain', schema, 'domains');
  }

  /** Applies a change unless a later one is stored: changes may arrive in any order, and twice. */
  async applySnapshot(
    workspace: string,
    { id: _id, hostname, status, revision }: DomainSnapshot,
    isDeleted = false,
  ): Promise<void> {
    const older = { _id, revision: olderThan(revision) };
    const change = { $set: { workspace, hostname, status: isDeleted ? 'deleted' : status, revision } };
    const { matchedCount } = await this.domains.updateOne(older, change);
    if (matchedCount === 1) return;
    try {
      await this.domains.insertMany([{ _id, ...change.$set, linksCount: 0 }], { lean: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // The row exists: it is as new or newer, or another worker has just inserted it from an older change.
      await this.domains.updateOne(older, change);
    }
  }

  findDomain(workspace: string, id: string, session?: ClientSession): Promise<Domain | null> {
    return this.domains.findOne({ _id: id, workspace }, null, { session }).lean<Domain>().exec();
  }

  /** @returns false if links cannot be added, since the domain does not serve */
  async countLinks({ workspace, id, difference }: LinkCountChange, session: ClientSession): Promise<boolean> {
    const where = { _id: id, workspace, ...(difference > 0 && { status: { $in: SERVING } }) };
    const { matchedCount } = await this.domains.updateOne(where, { $inc: { linksCount: difference } }, { session });
    return matchedCount === 1;
  }

  findDrifts(workspace: string, counts: ReadonlyMap<string, number>, session: ClientSession): Promise<Drifts> {
    return findDrifts(this.domains, { where: { workspace }, counts }, session);
  }

  correctDrifts(drifts: Drifts): Promise<number> {
    return correctDrifts(this.domains, drifts);
  }

  findDomains(workspace: string, ids: string[], session?: ClientSession): Promise<Domain[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.domains
      .find({ _id: { $in: ids }, workspace }, null, { session })
      .lean<Domain[]>()
      .exec();
  }

  /** True if the workspace has another domain with this hostname. */
  async hasOtherDomain({ _id, workspace, hostname }: HostOfDomain, session: ClientSession): Promise<boolean> {
    const where = { hostname, workspace, _id: { $ne: _id }, status: { $ne: 'deleted' as const } };
    return (await this.domains.findOne(where, { _id: 1 }, { session }).lean()) !== null;
  }

  /** Returns those of the hostnames that serve the links of some workspace. */
  async findServedHosts(hostnames: string[]): Promise<Set<string>> {
    const where = { hostname: { $in: hostnames }, status: { $in: SERVING } };
    const rows = await this.domains.find(where, { hostname: 1 }).lean<Domain[]>();
    return new Set(rows.map(({ hostname }) => hostname));
  }
}
