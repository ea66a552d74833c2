import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import { codeKey } from './link.js';

/** Who has a short code on a host. Rows stay: a code that was once given to a workspace is never given to another. */
interface Code {
  /** `<hostname>/<code>`, without regard to case; no hostname is the default short host. */
  _id: string;
  workspace: string;
  /** `null` while no link uses it. */
  linkId: string | null;
}

export interface CodeClaim {
  workspace: string;
  hostname: string | null;
  shortCode: string;
  linkId: string;
}

/** The one authority on which short codes are taken. */
export class CodeStore {
  private readonly codes: Model<Code>;

  constructor(db: Database) {
    const schema = new Schema<Code>({ _id: String, workspace: String, linkId: String });
    this.codes = db.model<Code>('Code', schema, 'codes');
  }

  /** A code that is taken ends the transaction it was tried in. */
  async claim(claim: CodeClaim, session: ClientSession): Promise<'claimed' | 'short_code_taken'> {
    const { workspace, linkId } = claim;
    const _id = idOf(claim);
    const known = await this.codes.findById(_id, null, { session }).lean<Code>();
    if (known) {
      const free = { _id, workspace, linkId: null };
      const { matchedCount } = await this.codes.updateOne(free, { $set: { linkId } }, { session });
      return matchedCount === 1 ? 'claimed' : 'short_code_taken';
    }
    try {
      await this.codes.insertMany([{ _id, workspace, linkId }], { session, lean: true });
      return 'claimed';
    } catch (error) {
      if (isDuplicateKey(error)) return 'short_code_taken';
      throw error;
    }
  }

  async release(claim: CodeClaim, session: ClientSession): Promise<void> {
    await this.codes.updateOne({ _id: idOf(claim), linkId: claim.linkId }, { $set: { linkId: null } }, { session });
  }
}

function idOf({ hostname, shortCode }: CodeClaim): string {
  return `${hostname ?? ''}/${codeKey(shortCode)}`;
}
