import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { findPage } from '@waymark/kernel/mongo/find-page';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import { holdsHostname, type Domain } from './domain.js';

/** A domain whose status serves links holds its hostname: `held` makes that unique. */
interface Row extends Domain {
  held: boolean;
}

const schema = new Schema<Row>(
  {
    _id: String,
    workspace: String,
    hostname: String,
    challenge: String,
    status: String,
    statusSince: Date,
    rootUrl: String,
    notFoundUrl: String,
    expiredUrl: String,
    isIndexable: Boolean,
    appleAppSiteAssociation: String,
    assetlinks: String,
    verifiedAt: Date,
    lastCheckedAt: Date,
    lastError: String,
    checks: Number,
    misses: Number,
    lookedUpAt: Date,
    nextCheckAt: Date,
    checkNo: Number,
    checkedNo: Number,
    createdBy: String,
    createdAt: Date,
    revision: Number,
    held: Boolean,
  },
  { versionKey: false },
);
schema.index({ workspace: 1, hostname: 1 }, { unique: true });
schema.index({ hostname: 1 }, { unique: true, partialFilterExpression: { held: true } });
// A claim skips the due checks of the excepted workspaces by the index alone.
schema.index({ nextCheckAt: 1, workspace: 1 });

interface CheckClaim {
  now: Date;
  leaseEnd: Date;
  /** Workspaces whose checks have to wait. */
  except: string[];
}

/** The fields that a request or a check may change. */
export type DomainChange = Partial<Omit<Domain, '_id' | 'workspace' | 'hostname' | 'challenge' | 'revision'>>;

/** Queries of a request include its workspace, so domains of other workspaces appear not to exist. */
export class DomainStore {
  private readonly domains: Model<Row>;

  constructor(db: Database) {
    this.domains = db.model<Row>('Domain', schema, 'domains');
  }

  /** Fails with a duplicate key when the workspace already has this hostname. */
  async insertDomain(domain: Domain, session: ClientSession): Promise<void> {
    await this.domains.insertMany([{ ...domain, held: holdsHostname(domain) }], { session, lean: true });
  }

  domainById(workspace: string, id: string, session?: ClientSession): Promise<Domain | null> {
    return this.domains.findOne({ _id: id, workspace }, null, { session }).lean<Domain>().exec();
  }

  /** Newest first, without their files. */
  listPage(workspace: string, page: Page): Promise<PageOf<Domain>> {
    const fields = { appleAppSiteAssociation: 0, assetlinks: 0 } as const;
    return findPage<Domain>({ model: this.domains as unknown as Model<Domain>, where: { workspace }, fields }, page);
  }

  /** Lists the domains of every workspace by their hostnames, for the operator. */
  async listAllDomains(isServing: boolean, { page, perPage }: Page): Promise<PageOf<Domain>> {
    const where = isServing ? { held: true } : {};
    const items = this.domains
      .find(where)
      .sort({ hostname: 1, _id: 1 })
      .skip((page - 1) * perPage)
      .limit(perPage)
      .lean<Domain[]>();
    return { items: await items, total: await this.domains.countDocuments(where) };
  }

  /** Finds the domain that serves this hostname. */
  servingDomain(hostname: string, session?: ClientSession): Promise<Domain | null> {
    return this.domains.findOne({ hostname, held: true }, null, { session }).lean<Domain>().exec();
  }

  /**
   * Claims the longest-overdue check, except those of these workspaces; until its result is recorded, it is due again at
   * `leaseEnd`.
   */
  claimCheck({ now, leaseEnd, except }: CheckClaim): Promise<Domain | null> {
    return this.domains
      .findOneAndUpdate(
        { nextCheckAt: { $lte: now }, workspace: { $nin: except } },
        { $set: { nextCheckAt: leaseEnd, lookedUpAt: now }, $inc: { checkNo: 1 } },
        { sort: { nextCheckAt: 1 }, returnDocument: 'after' },
      )
      .lean<Domain>()
      .exec();
  }

  async overdueSeconds(now: Date): Promise<number> {
    const oldest = await this.domains
      .findOne({ nextCheckAt: { $lte: now } })
      .sort({ nextCheckAt: 1 })
      .lean<Domain>();
    return oldest ? (now.getTime() - oldest.nextCheckAt!.getTime()) / 1000 : 0;
  }

  /**
   * Call it in the transaction that read the domain, so that concurrent updates do not overwrite each other. Fails with
   * a duplicate key when another domain already holds the hostname.
   */
  async replaceDomain(after: Domain, session: ClientSession): Promise<void> {
    const { _id, nextCheckAt, ...fields } = after;
    await this.domains.updateOne(
      { _id },
      {
        $set: { ...fields, held: holdsHostname(after), ...(nextCheckAt && { nextCheckAt }) },
        ...(!nextCheckAt && { $unset: { nextCheckAt: 1 } }),
      },
      { session },
    );
  }

  deleteDomain(workspace: string, id: string, session: ClientSession): Promise<Domain | null> {
    return this.domains.findOneAndDelete({ _id: id, workspace }, { session }).lean<Domain>().exec();
  }
}
