import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { upsertIfNewer } from '@waymark/kernel/mongo/upsert-if-newer';

/** A workspace that is or was suspended. */
export interface WorkspaceState {
  /** The slug. */
  _id: string;
  revision: number;
  /** Its links answer 451. */
  isBlocked: boolean;
}

/** More suspended workspaces than an installation is expected to have. */
const STATES_MAX = 100_000;
const FIND_TIMEOUT_MS = 5000;

/** The suspensions that the replicas share. */
export class StateStore {
  private readonly states: Model<WorkspaceState>;

  constructor(private readonly db: Database) {
    const schema = new Schema<WorkspaceState>(
      { _id: String, revision: Number, isBlocked: Boolean },
      { versionKey: false },
    );
    this.states = db.model<WorkspaceState>('WorkspaceState', schema, 'workspace_states');
  }

  get isReady(): boolean {
    return this.db.isReady;
  }

  findStates(): Promise<WorkspaceState[]> {
    return this.states.find({}).limit(STATES_MAX).maxTimeMS(FIND_TIMEOUT_MS).lean<WorkspaceState[]>().exec();
  }

  /** Stores each state unless a newer one is stored. */
  saveStates(states: readonly WorkspaceState[]): Promise<void> {
    return upsertIfNewer(this.states, states, (replacement, guard) => ({ replaceOne: { ...guard, replacement } }));
  }
}
