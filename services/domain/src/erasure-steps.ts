import {
  redactOutboxEvents,
  removeOfWorkspace,
  removeOutboxEvents,
  removeQuotas,
  type ErasureSteps,
} from '@waymark/kernel/erasure/erasure-steps';
import type { Database } from '@waymark/kernel/mongo/database';

/** Without its row a domain serves nothing, and another workspace can register the hostname. */
export const erasureSteps = (db: Database): ErasureSteps => ({
  workspace: [
    removeOfWorkspace(db, 'domains'),
    removeQuotas(db),
    removeOfWorkspace(db, 'idempotency_keys'),
    removeOutboxEvents(db),
  ],
  user: [redactOutboxEvents(db)],
});
