import {
  findIds,
  redactOutboxEvents,
  removeOfWorkspace,
  removeOutboxEvents,
  removeQuotas,
  removeWhere,
  updateWhere,
  type ErasureStep,
  type ErasureSteps,
} from '@waymark/kernel/erasure/erasure-steps';
import type { Database } from '@waymark/kernel/mongo/database';
import { ERASED_WORKSPACE } from './links/code-store.js';

const ERASED_ACTOR = { 'event.actor.name': null, 'event.actor.email': null, 'event.ipAddress': null };

/** The collections of a workspace, jobs before the links that they would change. */
export function erasureSteps(db: Database): ErasureSteps {
  return {
    workspace: [
      removeOfWorkspace(db, 'domain_removals'),
      stopImports(db),
      removeOfImports(db, 'import_rows'),
      removeOfImports(db, 'import_results'),
      removeOfWorkspace(db, 'imports'),
      ...['links', 'folders', 'tags', 'utm_templates', 'domains'].map((name) => removeOfWorkspace(db, name)),
      // A custom host may go to another workspace one day, with all of its codes.
      removeWhere(db, 'codes', (workspace) => ({ workspace, _id: { $not: /^\// } })),
      anonymizeCodes(db),
      removeQuotas(db),
      removeOfWorkspace(db, 'idempotency_keys'),
      removeOutboxEvents(db),
    ],
    user: [
      ...['imports', 'domain_removals'].map((name) =>
        updateWhere(db, name, {
          filterOf: (userId) => ({
            'event.actor.id': userId,
            $or: [{ 'event.actor.email': { $ne: null } }, { 'event.ipAddress': { $ne: null } }],
          }),
          update: { $set: ERASED_ACTOR },
        }),
      ),
      redactOutboxEvents(db),
    ],
  };
}

/** Ends the jobs: their workers stop at the next batch of rows. Counts apart from the removal. */
function stopImports(db: Database): ErasureStep {
  const step = updateWhere(db, 'imports', {
    filterOf: (workspace) => ({ workspace, finishedAt: null }),
    update: { $set: { status: 'failed', leaseId: null }, $currentDate: { finishedAt: true } },
  });
  return { ...step, name: 'imports_stopped' };
}

/** The codes on the default host stay taken, by no one: an old print must never lead to another workspace. */
function anonymizeCodes(db: Database): ErasureStep {
  return updateWhere(db, 'codes', {
    filterOf: (workspace) => ({ workspace }),
    update: { $set: { workspace: ERASED_WORKSPACE, linkId: null } },
  });
}

/** Removes the rows or results of the workspace's imports. A later step removes the imports. */
function removeOfImports(db: Database, name: string): ErasureStep {
  return {
    name,
    eraseBatch: async (workspace, limit) => {
      const ids = await findIds(db, 'imports', { filter: { workspace }, limit });
      const chunks = removeWhere(db, name, () => ({ importId: { $in: ids } }));
      return ids.length === 0 ? 0 : chunks.eraseBatch(workspace, limit);
    },
  };
}
