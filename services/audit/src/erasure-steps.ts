import {
  redactOutboxEvents,
  removeOfWorkspace,
  removeOutboxEvents,
  removeWhere,
  type ErasureSteps,
} from '@waymark/kernel/erasure/erasure-steps';
import type { Database } from '@waymark/kernel/mongo/database';
import { redactionSteps, type RedactContext } from './redacting/redact-entries.js';

/** Removes the whole log of a workspace. The entries of a user stay in the logs of workspaces, without personal data. */
export function erasureSteps(ctx: RedactContext & { db: Database }): ErasureSteps {
  const { db } = ctx;
  return {
    workspace: [
      removeOfWorkspace(db, 'waiting_entries'),
      removeOfWorkspace(db, 'log_entries'),
      removeWhere(db, 'tallies', (slug) => ({ _id: { $gt: `${slug} `, $lt: `${slug}!` } })),
      removeWhere(db, 'heads', (_id) => ({ _id })),
      removeOutboxEvents(db),
    ],
    user: [...redactionSteps(ctx), redactOutboxEvents(db)],
  };
}
