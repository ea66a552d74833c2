import {
  redactOutboxEvents,
  removeOfWorkspace,
  removeOutboxEvents,
  removeWhere,
  type ErasureSteps,
} from '@waymark/kernel/erasure/erasure-steps';
import type { Database } from '@waymark/kernel/mongo/database';
import type { EntryStore } from './entries/entry-store.js';
import { redactEntries, type RedactContext } from './redacting/redact-entries.js';

/** Removes the whole log of a workspace. The entries of a user stay in the logs of workspaces, without personal data. */
export function erasureSteps(ctx: RedactContext & { db: Database; entries: EntryStore }): ErasureSteps {
  const { db } = ctx;
  return {
    workspace: [
      removeOfWorkspace(db, 'log_entries'),
      removeWhere(db, 'tallies', (slug) => ({ _id: { $gt: `${slug} `, $lt: `${slug}!` } })),
      removeWhere(db, 'heads', (_id) => ({ _id })),
      removeOutboxEvents(db),
    ],
    user: [
      { name: 'log_entries', eraseBatch: (userId, limit, email) => redactEntries(ctx, { userId, email }, limit) },
      redactOutboxEvents(db),
    ],
  };
}
