import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';

/** A short code on a host. No hostname is the default short host. */
export interface Place {
  hostname: string | null;
  shortCode: string;
}

/** Who has a short code on a host. Rows stay: a code that was once given to a workspace is never given to another. */
interface Code {
  /** See `placeKey`. */
  _id: string;
  workspace: string;
  /** The link that is found there; `null` while there is none. */
  linkId: string | null;
}

/** `<hostname>/<code>`: codes are matched without regard to case. */
export const placeKey = ({ hostname, shortCode }: Place): string => `${hostname ?? ''}/${shortCode.toLowerCase()}`;

/** The one authority on which short codes are taken. */
export class CodeStore {
  private readonly codes: Model<Code>;

  constructor(db: Database) {
    const schema = new Schema<Code>({ _id: String, workspace: String, linkId: String });
    this.codes = db.model<Code>('Code', schema, 'codes');
  }

  async holderOf(place: Place, session?: ClientSession): Promise<{ workspace: string; linkId: string | null } | null> {
    return this.codes.findById(placeKey(place), null, { session }).lean<Code>();
  }

  /** A code that is taken ends the transaction it was tried in. */
  async claim(
    place: Place,
    { workspace, linkId }: { workspace: string; linkId: string },
    session: ClientSession,
  ): Promise<'claimed' | 'taken'> {
    const _id = placeKey(place);
    const known = await this.codes.findById(_id, null, { session }).lean<Code>();
    if (known) {
      const free = { _id, workspace, linkId: null };
      const { matchedCount } = await this.codes.updateOne(free, { $set: { linkId } }, { session });
      return matchedCount === 1 ? 'claimed' : 'taken';
    }
    try {
      await this.codes.insertMany([{ _id, workspace, linkId }], { session, lean: true });
      return 'claimed';
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken';
      throw error;
    }
  }

  /** Gives the code back to its workspace. */
  async release(place: Place, linkId: string, session: ClientSession): Promise<void> {
    await this.codes.updateOne({ _id: placeKey(place), linkId }, { $set: { linkId: null } }, { session });
  }

  /** Links of this workspace that are found on this host, by their codes in ascending order after one. */
  async atHost(workspace: string, hostname: string, after: string, limit: number) {
    const rows = await this.codes
      .find({ _id: { $gt: after || `${hostname}/`, $lt: `${hostname}0` }, workspace, linkId: { $ne: null } })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<(Code & { linkId: string })[]>();
    return rows.map(({ _id, linkId }) => ({ key: _id, linkId }));
  }
}
