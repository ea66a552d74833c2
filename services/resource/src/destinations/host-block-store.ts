import { Schema, type ClientSession, type Model } from 'mongoose';
import type { DestinationBlock } from '@waymark/contract/events';
import { DESTINATION_BLOCKS_MAX } from '@waymark/contract/requests';
import type { Database } from '@waymark/kernel/mongo/database';

/** A host that the operator blocks or has blocked: the row stays, so that its revision grows. */
export interface HostBlock {
  /** The host, without the dot at its end. */
  _id: string;
  isBlocked: boolean;
  reason: string;
  changedAt: Date;
  revision: number;
}

export class HostBlockStore {
  private readonly blocks: Model<HostBlock>;

  constructor(private readonly db: Database) {
    const schema = new Schema<HostBlock>(
      { _id: String, isBlocked: Boolean, reason: String, changedAt: Date, revision: Number },
      { versionKey: false },
    );
    this.blocks = db.model<HostBlock>('DestinationBlock', schema, 'destination_blocks');
  }

  get isReady(): boolean {
    return this.db.isReady;
  }

  findBlocks(): Promise<HostBlock[]> {
    return this.blocks.find({}).sort({ _id: 1 }).limit(DESTINATION_BLOCKS_MAX).lean<HostBlock[]>().exec();
  }

  findBlock(host: string, session: ClientSession): Promise<HostBlock | null> {
    return this.blocks.findById(host, null, { session }).lean<HostBlock>().exec();
  }

  countBlocks(session: ClientSession): Promise<number> {
    return this.blocks.countDocuments({}, { session }).exec();
  }

  async saveBlock({ _id, ...fields }: HostBlock, session: ClientSession): Promise<void> {
    await this.blocks.updateOne({ _id }, { $set: fields }, { upsert: true, session });
  }
}

export const toDestinationBlock = ({ _id: host, revision, isBlocked }: HostBlock): DestinationBlock => ({
  host,
  revision,
  is_blocked: isBlocked,
});
