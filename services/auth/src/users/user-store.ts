import { Schema, type ClientSession, type Model, type UpdateQuery } from 'mongoose';
import { asciiEmail } from '@waymark/contract/users';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import { findPage } from '@waymark/kernel/mongo/find-page';
import type { Sealed } from '@waymark/kernel/secret-box';

/** Two-factor sign-in that is enabled. */
export interface Totp {
  secret: Sealed;
  enabledAt: Date;
  /** The time step of the last accepted code: that code and earlier ones are refused. */
  lastStep: number;
  /** Hashes of the recovery codes that are left. */
  recoveryCodes: string[];
}

/** How an account is taken from its maker. */
export interface Reclaiming {
  passwordHash: string;
  name?: string;
  /** Whether the address is proven from now on. */
  isProven: boolean;
  /** Only an account that has entered no workspace but its first. */
  isInFirstWorkspaceOnly?: true;
}

/** A secret that the user has not confirmed with a code yet. */
export interface TotpSetup {
  secret: Sealed;
  createdAt: Date;
}

/** The second factor of a sign-in: the time step of a code, or the hash of a recovery code. */
export type SecondFactor = { step: number } | { recoveryCode: string };

/** What a sign-in was checked with: the stored password and, for a user who has one, the second factor; or a provider. */
export type SignInProof = { by: 'password'; factor: SecondFactor | null } | { by: 'provider' };

export interface SignIn {
  proof: SignInProof;
  /** See `withNetwork`. */
  networks: string[];
}

export interface User {
  _id: string;
  name: string;
  /** As entered; unique, case-insensitive. */
  email: string;
  emailKey: string;
  passwordHash: string;
  createdAt: Date;
  /** The account was made by an invitation link: nothing shows that its user owns the address. */
  isEmailUnproven?: boolean;
  /** Whose invitation made the account; absent from other accounts, and from those of earlier versions. */
  invitedBy?: string;
  /** Set by the sign-in that began the user's newest session. */
  lastSignedInAt?: Date;
  /** Marks of the networks from which the user has signed in, the newest first. */
  signInNetworks?: string[];
  totp?: Totp;
  totpSetup?: TotpSetup;
  /** Since when the user may neither sign in nor use a token. */
  disabledAt?: Date;
  /** Counts the workspaces that the user has entered, those that they have left too. */
  membershipChanges?: number;
}

export const isDisabled = ({ disabledAt }: User): boolean => disabledAt !== undefined;

const sealedSchema = { keyId: String, sealed: String };
const totpSchema = new Schema<Totp>(
  { secret: sealedSchema, enabledAt: Date, lastStep: Number, recoveryCodes: [String] },
  { _id: false },
);
const totpSetupSchema = new Schema<TotpSetup>({ secret: sealedSchema, createdAt: Date }, { _id: false });

export class UserStore {
  private readonly users: Model<User>;

  constructor(db: Database) {
    const schema = new Schema<User>({
      _id: String,
      name: String,
      email: String,
      emailKey: String,
      passwordHash: String,
      createdAt: Date,
      isEmailUnproven: Boolean,
      invitedBy: String,
      lastSignedInAt: Date,
      signInNetworks: [String],
      totp: totpSchema,
      totpSetup: totpSetupSchema,
      disabledAt: Date,
      membershipChanges: Number,
    });
    schema.index({ emailKey: 1 }, { unique: true });
    this.users = db.model<User>('User', schema, 'users');
  }

  async insertUser(user: Omit<User, 'emailKey'>, session: ClientSession): Promise<'inserted' | 'email_taken'> {
    try {
      await this.users.insertMany([{ ...user, emailKey: emailKey(user.email) }], { session, lean: true });
      return 'inserted';
    } catch (error) {
      if (isDuplicateKey(error)) return 'email_taken';
      throw error;
    }
  }

  findUser(id: string): Promise<User | null> {
    return this.users.findById(id).lean<User>().exec();
  }

  findUsers(ids: string[]): Promise<User[]> {
    return this.users
      .find({ _id: { $in: ids } })
      .lean<User[]>()
      .exec();
  }

  findUserByEmail(email: string): Promise<User | null> {
    return this.users
      .findOne({ emailKey: emailKey(email) })
      .lean<User>()
      .exec();
  }

  /** Ordered by e-mail address; only those that start with `prefix`. */
  listUsers(prefix: string, page: Page): Promise<PageOf<User>> {
    const start = emailKey(prefix);
    const where = start === '' ? {} : { emailKey: { $gte: start, $lt: `${start}\uffff` } };
    return findPage({ model: this.users, where, sort: { emailKey: 1 } }, page);
  }

  /**
   * Serializes a new membership with the erasure of the user, which sees all memberships or makes this transaction fail.
   * @returns false when the user does not exist
   */
  async lockUser(id: string, session: ClientSession): Promise<boolean> {
    const update = { $inc: { membershipChanges: 1 } };
    return (await this.users.updateOne({ _id: id }, update, { session })).matchedCount === 1;
  }

  async deleteUser(id: string, session: ClientSession): Promise<void> {
    await this.users.deleteOne({ _id: id }, { session });
  }

  async setName(id: string, name: string, session: ClientSession): Promise<void> {
    await this.users.updateOne({ _id: id }, { $set: { name } }, { session });
  }

  async setPassword(id: string, passwordHash: string, session?: ClientSession): Promise<void> {
    await this.users.updateOne({ _id: id }, { $set: { passwordHash } }, { session });
  }

  /**
   * Replaces the password of an account with an unproven address, and removes its second factor.
   * @returns the account before, or `null` when its address is proven or it has entered more workspaces than the first
   */
  reclaimUser(
    id: string,
    { passwordHash, name, isProven, isInFirstWorkspaceOnly }: Reclaiming,
    session: ClientSession,
  ): Promise<User | null> {
    const filter = { _id: id, isEmailUnproven: true, ...(isInFirstWorkspaceOnly && { membershipChanges: 1 }) };
    const change = {
      $set: { passwordHash, ...(name !== undefined && { name }) },
      $unset: { totp: 1 as const, totpSetup: 1 as const, ...(isProven && { isEmailUnproven: 1 as const }) },
    };
    return this.users.findOneAndUpdate(filter, change, { session, returnDocument: 'before' }).lean<User>().exec();
  }

  /** @returns false when the user is disabled already */
  async disableUser(id: string, disabledAt: Date, session: ClientSession): Promise<boolean> {
    const filter = { _id: id, disabledAt: { $exists: false } };
    return (await this.users.updateOne(filter, { $set: { disabledAt } }, { session })).matchedCount === 1;
  }

  /** @returns false when the user is not disabled */
  async enableUser(id: string, session: ClientSession): Promise<boolean> {
    const filter = { _id: id, disabledAt: { $exists: true } };
    return (await this.users.updateOne(filter, { $unset: { disabledAt: 1 } }, { session })).matchedCount === 1;
  }

  /** Replaces a secret that was not confirmed. @returns false when two-factor sign-in is enabled already */
  async setTotpSetup(id: string, totpSetup: TotpSetup): Promise<boolean> {
    const filter = { _id: id, totp: { $exists: false } };
    return (await this.users.updateOne(filter, { $set: { totpSetup } })).matchedCount === 1;
  }

  /** @returns false when the secret is no longer the one that was confirmed */
  async enableTotp(id: string, totp: Totp, session: ClientSession): Promise<boolean> {
    const filter = { _id: id, totp: { $exists: false }, 'totpSetup.secret.sealed': totp.secret.sealed };
    const update = { $set: { totp }, $unset: { totpSetup: 1 } } as const;
    return (await this.users.updateOne(filter, update, { session })).matchedCount === 1;
  }

  /** @returns false when two-factor sign-in is not enabled */
  async disableTotp(id: string, session: ClientSession): Promise<boolean> {
    const update = { $unset: { totp: 1, totpSetup: 1 } } as const;
    return (await this.users.updateOne({ _id: id, totp: { $exists: true } }, update, { session })).matchedCount === 1;
  }

  /**
   * Marks the sign-in and uses up its second factor in one update, so that a code works once, and a concurrent change of
   * the password or disabling of the user conflicts with this transaction.
   * @returns false when the proof is no longer valid
   */
  async markSignedIn(user: User, { proof, networks }: SignIn, session: ClientSession): Promise<boolean> {
    const isEnabled = { disabledAt: { $exists: false } };
    const filter = { _id: user._id, ...isEnabled, ...(proof.by === 'password' && passwordFilter(user, proof.factor)) };
    const { $set, ...useUp } = proof.by === 'password' ? usingUp(proof.factor) : usingUp(null);
    const update = { $set: { ...$set, lastSignedInAt: new Date(), signInNetworks: networks }, ...useUp };
    return (await this.users.updateOne(filter, update, { session })).matchedCount === 1;
  }
}

function passwordFilter({ passwordHash, totp }: User, factor: SecondFactor | null): object {
  if (!factor || !totp) return { passwordHash, totp: { $exists: false } };
  if ('recoveryCode' in factor) return { passwordHash, 'totp.recoveryCodes': factor.recoveryCode };
  return { passwordHash, 'totp.secret.sealed': totp.secret.sealed, 'totp.lastStep': { $lt: factor.step } };
}

function usingUp(factor: SecondFactor | null): UpdateQuery<User> {
  if (!factor) return {};
  if ('step' in factor) return { $set: { 'totp.lastStep': factor.step } };
  return { $pull: { 'totp.recoveryCodes': factor.recoveryCode } };
}

/** Returns the form in which e-mails are compared: case-insensitive, with the domain in ASCII. */
export function emailKey(email: string): string {
  return asciiEmail(email.trim()).toLowerCase();
}
