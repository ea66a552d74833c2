import type { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Database, Transaction } from '@waymark/kernel/mongo/database';

export interface TurnContext {
  db: Database;
  /** Runs the changes of one workspace's content one after the other. */
  changes: KeyedLimit;
}

interface Turn {
  workspace: string;
  /** Aborted when the client has gone. */
  signal: AbortSignal | undefined;
}

/** Runs a change in a transaction once it is the workspace's turn, unless its client has gone meanwhile. */
export function runChange<T>(
  { db, changes }: TurnContext,
  { workspace, signal }: Turn,
  change: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const begin = (tx: Transaction) => {
    // The transaction may have waited as well.
    signal?.throwIfAborted();
    return change(tx);
  };
  return changes.run(workspace, () => db.transaction(begin), signal);
}
