import { Schema, type Model } from 'mongoose';
import type { DestinationBlock } from '@waymark/contract/events';
import { DESTINATION_BLOCKS_MAX } from '@waymark/contract/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import { upsertIfNewer } from '@waymark/kernel/mongo/upsert-if-newer';

/** A host that is or was blocked as a destination. */
interface BlockRow {
  /** The host. */
  _id: string;
  revision: number;
  isBlocked: boolean;
}

const FIND_TIMEOUT_MS = 3000;

/** The blocks that the replicas share. */
export class BlockStore {
  private readonly rows: Model<BlockRow>;

  constructor(private readonly db: Database) {
    const schema = new Schema<BlockRow>({ _id: String, revision: Number, isBlocked: Boolean }, { versionKey: false });
    this.rows = db.model<BlockRow>('DestinationBlock', schema, 'destination_blocks');
  }

  get isReady(): boolean {
    return this.db.isReady;
  }

  async findBlocks(): Promise<DestinationBlock[]> {
    const rows = await this.rows.find({}).limit(DESTINATION_BLOCKS_MAX).maxTimeMS(FIND_TIMEOUT_MS).lean<BlockRow[]>();
    return rows.map(({ _id: host, revision, isBlocked }) => ({ host, revision, is_blocked: isBlocked }));
  }

  /** Stores each block unless a newer one of its host is stored. */
  saveBlocks(blocks: readonly DestinationBlock[]): Promise<void> {
    const rows = blocks.map(({ host, revision, is_blocked: isBlocked }) => ({ _id: host, revision, isBlocked }));
    return upsertIfNewer(this.rows, rows, (replacement, guard) => ({ replaceOne: { ...guard, replacement } }));
  }
}
