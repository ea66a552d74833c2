import { Schema, type ClientSession, type Model } from 'mongoose';
import type { PlanName } from '@waymark/contract/plans';
import type { Role } from '@waymark/contract/roles';
import type { MemberSort } from '@waymark/contract/workspaces';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey, missing } from '@waymark/kernel/errors';
import { hashSecret } from '../secrets/hash-secret.js';
import { findItems, findPage } from '@waymark/kernel/mongo/find-page';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';

export interface Workspace {
  /** The slug: immutable. */
  _id: string;
  name: string;
  /** Whether members without a second factor have no access; absent means no. */
  requiresTwoFactor?: boolean;
  /** `null` means the operator's default. */
  plan: PlanName | null;
  /** Incremented with every change of its members or tokens. */
  memberChanges: number;
  createdAt: Date;
  /** The highest end of the audit log that audit has announced: a copy apart from the database of audit. */
  auditHead?: AuditHead;
  suspension?: Suspension;
  /** Counts the changes of `suspension`. */
  suspensionRevision?: number;
}

export interface AuditHead {
  seq: number;
  hash: string;
  /** The log went on from another end than this one: it was reset, and this end is evidence. */
  isContradicted?: boolean;
}

/** What the administrators of a workspace choose. */
export type WorkspaceSettings = Pick<Workspace, 'name' | 'requiresTwoFactor'>;

/** Set by the operator; the members cannot use the workspace meanwhile. */
export interface Suspension {
  reason: string;
  /** Whether its links keep working while it is suspended. */
  links: 'keep' | 'block';
  suspendedAt: Date;
}

/** The slug of an erased workspace, as a hash: no other workspace ever gets it. */
interface RetiredSlug {
  _id: string;
  retiredAt: Date;
}

export interface Membership {
  _id: string;
  workspace: string;
  userId: string;
  role: Role;
  /**
   * When the user joined, by their own consent or by the operator; `null` for a member whom another member added under
   * 0.1.0 and who has never used the workspace: it does not receive their sign-in events.
   */
  enteredAt: Date | null;
  createdAt: Date;
  /** When the role last changed. */
  updatedAt: Date;
}

const OWNERS_MAX = 20;

/** The id breaks ties, so that no member appears on two pages. */
const MEMBER_ORDERS = {
  created_at: { createdAt: 1, _id: 1 },
  '-created_at': { createdAt: -1, _id: -1 },
  updated_at: { updatedAt: 1, _id: 1 },
  '-updated_at': { updatedAt: -1, _id: -1 },
} as const satisfies Record<MemberSort, object>;

export class WorkspaceStore {
  private readonly workspaces: Model<Workspace>;
  private readonly memberships: Model<Membership>;
  private readonly retiredSlugs: Model<RetiredSlug>;

  constructor(db: Database) {
    this.workspaces = db.model<Workspace>(
      'Workspace',
      new Schema<Workspace>({
        _id: String,
        name: String,
        requiresTwoFactor: Boolean,
        plan: String,
        memberChanges: Number,
        createdAt: Date,
        auditHead: Schema.Types.Mixed,
        suspension: Schema.Types.Mixed,
        suspensionRevision: Number,
      }),
      'workspaces',
    );
    const retired = new Schema<RetiredSlug>({ _id: String, retiredAt: Date });
    this.retiredSlugs = db.model<RetiredSlug>('RetiredSlug', retired, 'retired_slugs');
    const membershipSchema = new Schema<Membership>({
      _id: String,
      workspace: String,
      userId: String,
      role: String,
      enteredAt: Date,
      createdAt: Date,
      updatedAt: Date,
    });
    membershipSchema.index({ userId: 1, workspace: 1 });
    membershipSchema.index({ workspace: 1, createdAt: 1 });
    membershipSchema.index({ workspace: 1, updatedAt: -1, _id: -1 });
    this.memberships = db.model<Membership>('Membership', membershipSchema, 'memberships');
    db.upgradeBy(this.memberships, addUpdateTimes);
  }

  async insertWorkspace(workspace: Workspace, session: ClientSession): Promise<'inserted' | 'slug_taken'> {
    const retired = await this.retiredSlugs.findById(hashSecret(workspace._id), null, { session }).lean();
    if (retired) return 'slug_taken';
    try {
      await this.workspaces.insertMany([workspace], { session, lean: true });
      return 'inserted';
    } catch (error) {
      if (isDuplicateKey(error)) return 'slug_taken';
      throw error;
    }
  }

  /** Deletes the workspace with its memberships, and retires its slug. @returns null if there was none */
  async deleteWorkspace(
    slug: string,
    session: ClientSession,
  ): Promise<{ workspace: Workspace; memberCount: number } | null> {
    const workspace = await this.workspaces.findOneAndDelete({ _id: slug }, { session }).lean<Workspace>();
    if (!workspace) return null;
    const { deletedCount: memberCount } = await this.memberships.deleteMany({ workspace: slug }, { session });
    await this.retiredSlugs.insertMany([{ _id: hashSecret(slug), retiredAt: new Date() }], { session, lean: true });
    return { workspace, memberCount };
  }

  /** Suspends a workspace, or resumes it. @returns the workspace after the change, or null if there is none */
  async setSuspension(slug: string, suspension: Suspension | null, session: ClientSession): Promise<Workspace | null> {
    const change = {
      $inc: { suspensionRevision: 1 },
      ...(suspension ? { $set: { suspension } } : { $unset: { suspension: 1 as const } }),
    };
    return this.workspaces
      .findOneAndUpdate({ _id: slug }, change, { session, returnDocument: 'after' })
      .lean<Workspace>()
      .exec();
  }

  findWorkspace(slug: string, session?: ClientSession): Promise<Workspace | null> {
    return this.workspaces.findById(slug, null, { session }).lean<Workspace>().exec();
  }

  findWorkspaces(slugs: string[]): Promise<Workspace[]> {
    return this.workspaces
      .find({ _id: { $in: slugs } })
      .lean<Workspace[]>()
      .exec();
  }

  /** Of these workspaces, newest first. */
  async listWorkspaces(slugs: string[], page: Page): Promise<PageOf<Workspace>> {
    return {
      items: await findItems({ model: this.workspaces, where: { _id: { $in: slugs } } }, page),
      total: slugs.length,
    };
  }

  /** Every workspace, ordered by slug; only those that start with `prefix`. */
  listAllWorkspaces(prefix: string, page: Page): Promise<PageOf<Workspace>> {
    const where = prefix === '' ? {} : { _id: { $gte: prefix, $lt: `${prefix}\uffff` } };
    return findPage({ model: this.workspaces, where, sort: { _id: 1 } }, page);
  }

  /**
   * Keeps the end of the audit log, which moved on from `previous`. Idempotent, in any order. An end that a log continued
   * from somewhere else is kept for good.
   */
  async keepAuditHead(slug: string, { head, previous }: Record<'head' | 'previous', AuditHead>): Promise<void> {
    const continues = [
      { auditHead: { $exists: false } },
      { 'auditHead.seq': { $lt: previous.seq } },
      { 'auditHead.seq': previous.seq, 'auditHead.hash': previous.hash },
    ];
    const isTrusted = { 'auditHead.isContradicted': { $ne: true } };
    const kept = await this.workspaces.updateOne(
      { _id: slug, ...isTrusted, $or: continues },
      { $set: { auditHead: head } },
    );
    if (kept.matchedCount === 1) return;
    const isFork = { _id: slug, 'auditHead.seq': { $lt: head.seq } };
    await this.workspaces.updateOne(isFork, { $set: { 'auditHead.isContradicted': true } });
  }

  async setSettings(slug: string, settings: Partial<WorkspaceSettings>, session: ClientSession): Promise<void> {
    await this.workspaces.updateOne({ _id: slug }, { $set: settings }, { session });
  }

  /** @returns the workspace before the change */
  async setPlan(slug: string, plan: PlanName, session: ClientSession): Promise<Workspace | null> {
    const change = { $set: { plan } };
    return this.workspaces
      .findOneAndUpdate({ _id: slug }, change, { session, returnDocument: 'before' })
      .lean<Workspace>()
      .exec();
  }

  /**
   * Serializes changes of one workspace's members and tokens: each sees the result of the previous one.
   * @throws AppError `not_found` when the workspace has been deleted meanwhile
   */
  async lockMembers(slug: string, session: ClientSession): Promise<void> {
    const update = { $inc: { memberChanges: 1 } };
    if ((await this.workspaces.updateOne({ _id: slug }, update, { session })).matchedCount === 0)
      throw missing('workspace', slug, '');
  }

  async addMember(membership: Omit<Membership, '_id' | 'updatedAt'>, session: ClientSession): Promise<void> {
    const _id = membershipId(membership.workspace, membership.userId);
    await this.memberships.insertMany([{ _id, ...membership, updatedAt: membership.createdAt }], {
      session,
      lean: true,
    });
  }

  async setRole({ _id, role, updatedAt }: Membership, session: ClientSession): Promise<void> {
    await this.memberships.updateOne({ _id }, { $set: { role, updatedAt } }, { session });
  }

  async removeMember({ _id }: Membership, session: ClientSession): Promise<void> {
    await this.memberships.deleteOne({ _id }, { session });
  }

  countOwners(workspace: string, session?: ClientSession): Promise<number> {
    return this.memberships.countDocuments({ workspace, role: 'owner' }, { session });
  }

  /** A workspace has few owners; more are left out. */
  findOwners(workspace: string): Promise<Membership[]> {
    return this.memberships.find({ workspace, role: 'owner' }).limit(OWNERS_MAX).lean<Membership[]>().exec();
  }

  countMembers(workspace: string, session?: ClientSession): Promise<number> {
    return this.memberships.countDocuments({ workspace }, { session });
  }

  countMemberships(where: { userId: string; role?: Role }, session?: ClientSession): Promise<number> {
    return this.memberships.countDocuments(where, { session });
  }

  /** Counts the workspaces of each of these users; a user in none is absent. */
  async countWorkspacesOf(userIds: string[]): Promise<Map<string, number>> {
    const counts = await this.memberships.aggregate<{ _id: string; count: number }>([
      { $match: { userId: { $in: userIds } } },
      { $group: { _id: '$userId', count: { $sum: 1 } } },
    ]);
    return new Map(counts.map(({ _id, count }) => [_id, count]));
  }

  findMembership(workspace: string, userId: string, session?: ClientSession): Promise<Membership | null> {
    return this.memberships.findById(membershipId(workspace, userId), null, { session }).lean<Membership>().exec();
  }

  listMemberships(
    workspace: string,
    { sort, updatedSince }: { sort: MemberSort; updatedSince: Date | undefined },
    page: Page,
  ): Promise<PageOf<Membership>> {
    const where = { workspace, ...(updatedSince && { updatedAt: { $gte: updatedSince } }) };
    return findPage({ model: this.memberships, where, sort: MEMBER_ORDERS[sort] }, page);
  }

  /** Finds the memberships for these pairs of workspace and user, where they exist. */
  findMemberships(of: { workspace: string; userId: string }[]): Promise<Membership[]> {
    const ids = of.map(({ workspace, userId }) => membershipId(workspace, userId));
    return this.memberships
      .find({ _id: { $in: ids } })
      .lean<Membership[]>()
      .exec();
  }

  findMembershipsOfUser(userId: string, session?: ClientSession): Promise<Membership[]> {
    return this.memberships.find({ userId }, null, { session }).sort({ workspace: 1 }).lean<Membership[]>().exec();
  }

  /** Returns the workspaces that receive the user's sign-in events. */
  async findEnteredWorkspaces(userId: string): Promise<string[]> {
    const entered = { userId, enteredAt: { $ne: null } };
    const memberships = await this.memberships.find(entered).sort({ workspace: 1 }).lean<Membership[]>();
    return memberships.map(({ workspace }) => workspace);
  }
}

/** Migrates memberships that were stored without the time of their last change. */
async function addUpdateTimes(memberships: Model<Membership>): Promise<void> {
  const change = [{ $set: { updatedAt: '$createdAt' } }];
  await memberships.updateMany({ updatedAt: { $exists: false } }, change, { updatePipeline: true, timestamps: false });
}

function membershipId(workspace: string, userId: string): string {
  return `${workspace}:${userId}`;
}
