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
import type { DeliveryPurger } from './deliveries/delivery-purger.js';

const ENDPOINTS_AT_ONCE = 1000;

/** Deliveries stop first; the endpoints, which lead to their attempts, go last. */
export function erasureSteps(ctx: { db: Database; purger: DeliveryPurger }): ErasureSteps {
  const { db } = ctx;
  return {
    workspace: [
      disableEndpoints(db),
      removeOfWorkspace(db, 'replays'),
      removeAttempts(db),
      removeEndpoints(ctx),
      removeQuotas(db),
      removeOfWorkspace(db, 'idempotency_keys'),
      removeOutboxEvents(db),
    ],
    user: [redactOutboxEvents(db)],
  };
}

/** Counts apart from the removal, so that the report has each endpoint once. */
const disableEndpoints = (db: Database): ErasureStep => ({
  ...updateWhere(db, 'endpoints', {
    filterOf: (workspace) => ({ workspace, enabled: true }),
    update: { $set: { enabled: false } },
  }),
  name: 'endpoints_disabled',
});

/** Removes attempts with their responses, which have no other way to be found. */
function removeAttempts(db: Database): ErasureStep {
  return {
    name: 'attempts',
    eraseBatch: async (workspace, limit) => {
      const endpointIds = await findIds(db, 'endpoints', { filter: { workspace }, limit: ENDPOINTS_AT_ONCE });
      if (endpointIds.length === 0) return 0;
      const filter = { endpointId: { $in: endpointIds } };
      const ids = await findIds(db, 'attempts', { filter, limit });
      const byId = () => ({ _id: { $in: ids } });
      if (ids.length > 0) await removeWhere(db, 'attempt_responses', byId).eraseBatch(workspace, limit);
      return ids.length === 0 ? 0 : removeWhere(db, 'attempts', byId).eraseBatch(workspace, limit);
    },
  };
}

/** A fan-out that read the endpoints before may still store attempts: the purger removes those. */
function removeEndpoints({ db, purger }: { db: Database; purger: DeliveryPurger }): ErasureStep {
  const endpoints = removeOfWorkspace(db, 'endpoints');
  return {
    ...endpoints,
    eraseBatch: async (workspace, limit) => {
      const ids = await findIds(db, 'endpoints', { filter: { workspace }, limit });
      for (const id of ids) await purger.orderPurge(id);
      return endpoints.eraseBatch(workspace, limit);
    },
  };
}
