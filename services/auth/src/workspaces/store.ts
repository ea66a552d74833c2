import { Schema, type ClientSession, type Model } from 'mongoose';
import type { PlanName } from '@waymark/shared/contract/plans';
import type { Role } from '@waymark/shared/contract/roles';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';

export interface Workspace {
  /** The slug: it never changes. */
  _id: string;
  name: string;
  /** `null` follows the operator's default. */
  plan: PlanName | null;
  createdAt: Date;
}

export interface Membership {
  _id: string;
  workspace: string;
  userId: string;
  role: Role;
  createdAt: Date;
}

export class WorkspaceStore {
  private readonly workspaces: Model<Workspace>;
  private readonly memberships: Model<Membership>;

  constructor(db: Database) {
    this.workspaces = db.connection.model<Workspace>(
      'Workspace',
      new Schema<Workspace>({ _id: String, name: String, plan: String, createdAt: Date }),
      'workspaces',
    );
    const membership = new Schema<Membership>({
      _id: String,
      workspace: String,
      userId: String,
      role: String,
      createdAt: Date,
    });
    membership.index({ userId: 1, workspace: 1 });
    membership.index({ workspace: 1, createdAt: 1 });
    this.memberships = db.connection.model<Membership>('Membership', membership, 'memberships');
    db.prepare(this.workspaces as unknown as Model<never>, this.memberships as unknown as Model<never>);
  }

  async insert(workspace: Workspace, session: ClientSession): Promise<'inserted' | 'slug_taken'> {
    try {
      await this.workspaces.insertMany([workspace], { session, lean: true });
      return 'inserted';
    } catch (error) {
      if (isDuplicateKey(error)) return 'slug_taken';
      throw error;
    }
  }

  bySlug(slug: string): Promise<Workspace | null> {
    return this.workspaces.findById(slug).lean<Workspace>().exec();
  }

  bySlugs(slugs: string[]): Promise<Workspace[]> {
    return this.workspaces
      .find({ _id: { $in: slugs } })
      .lean<Workspace[]>()
      .exec();
  }

  /** @returns the plan it had, or `undefined` when there is no such workspace. */
  async setPlan(slug: string, plan: PlanName, session: ClientSession): Promise<PlanName | null | undefined> {
    const before = await this.workspaces
      .findOneAndUpdate({ _id: slug }, { $set: { plan } }, { session })
      .lean<Workspace>();
    return before ? before.plan : undefined;
  }

  /** @returns the role the user had, or `undefined` for a new member. */
  async setMember(workspace: string, userId: string, role: Role, session: ClientSession): Promise<Role | undefined> {
    const before = await this.memberships
      .findOneAndUpdate(
        { _id: membershipId(workspace, userId) },
        { $set: { role }, $setOnInsert: { workspace, userId, createdAt: new Date() } },
        { session, upsert: true, returnDocument: 'before' },
      )
      .lean<Membership>();
    return before?.role;
  }

  membership(workspace: string, userId: string): Promise<Membership | null> {
    return this.memberships.findById(membershipId(workspace, userId)).lean<Membership>().exec();
  }

  /** Of each of these users in the workspace beside them, where they are a member. */
  membershipsIn(of: { workspace: string; userId: string }[]): Promise<Membership[]> {
    const ids = of.map(({ workspace, userId }) => membershipId(workspace, userId));
    return this.memberships
      .find({ _id: { $in: ids } })
      .lean<Membership[]>()
      .exec();
  }

  membershipsOf(userId: string): Promise<Membership[]> {
    return this.memberships.find({ userId }).sort({ workspace: 1 }).lean<Membership[]>().exec();
  }
}

function membershipId(workspace: string, userId: string): string {
  return `${workspace}:${userId}`;
}
