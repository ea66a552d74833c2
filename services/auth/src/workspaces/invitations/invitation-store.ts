import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Role } from '@waymark/contract/roles';
import type { Database } from '@waymark/kernel/mongo/database';
import { findPage } from '@waymark/kernel/mongo/find-page';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import { emailKey } from '../../users/user-store.js';

/** An invitation that waits for its answer: one that is accepted, declined or withdrawn is deleted. */
export interface Invitation {
  _id: string;
  workspace: string;
  /** As entered; `null` for an invitation that anyone with the link may accept. */
  email: string | null;
  emailKey: string | null;
  role: Role;
  /** The id of the user who invites, also where a token of theirs did. */
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Identifies an invitation; with `email` only one that is bound to this address. */
export interface InvitationKey {
  id: string;
  workspace?: string;
  email?: string;
}

export class InvitationStore {
  private readonly invitations: Model<Invitation>;

  constructor(private readonly db: Database) {
    const schema = new Schema<Invitation>({
      _id: String,
      workspace: String,
      email: String,
      emailKey: String,
      role: String,
      invitedBy: String,
      createdAt: Date,
      expiresAt: Date,
    });
    schema.index({ workspace: 1, createdAt: -1 });
    schema.index({ emailKey: 1, createdAt: -1 });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.invitations = db.model<Invitation>('Invitation', schema, 'invitations');
  }

  async insertInvitation(invitation: Omit<Invitation, 'emailKey'>, session: ClientSession): Promise<Invitation> {
    const { email } = invitation;
    const row = { ...invitation, emailKey: email === null ? null : emailKey(email) };
    await this.invitations.insertMany([row], { session, lean: true });
    return row;
  }

  async findInvitation({ id, ...where }: InvitationKey): Promise<Invitation | null> {
    return this.invitations.findOne(await this.pending({ _id: id, ...keyed(where) })).lean<Invitation>();
  }

  /** Deletes the invitation: of any number of concurrent callers one gets it. */
  async takeInvitation({ id, ...where }: InvitationKey, session: ClientSession): Promise<Invitation | null> {
    const filter = await this.pending({ _id: id, ...keyed(where) });
    return this.invitations.findOneAndDelete(filter, { session }).lean<Invitation>();
  }

  /** Newest first. */
  async listInvitations(workspace: string, page: Page): Promise<PageOf<Invitation>> {
    return findPage({ model: this.invitations, where: await this.pending({ workspace }) }, page);
  }

  /** Returns the newest invitations bound to this address, of all workspaces. */
  async findInvitationsTo(email: string, limit: number): Promise<Invitation[]> {
    const filter = await this.pending({ emailKey: emailKey(email) });
    return this.invitations.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).lean<Invitation[]>();
  }

  async countInvitations(where: { workspace: string; email?: string }, session?: ClientSession): Promise<number> {
    return this.invitations.countDocuments(await this.pending(keyed(where)), { session });
  }

  /** Leaves out expired invitations, which the database deletes a little later. */
  private async pending(where: object): Promise<object> {
    return { ...where, expiresAt: { $gt: await this.db.now() } };
  }
}

const keyed = ({ email, ...where }: { workspace?: string; email?: string }): object => ({
  ...where,
  ...(email !== undefined && { emailKey: emailKey(email) }),
});
