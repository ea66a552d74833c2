import {
  findIds,
  redactOutboxEvents,
  removeOfWorkspace,
  removeOutboxEvents,
  removeQuotas,
  removeWhere,
  type ErasureStep,
  type ErasureSteps,
} from '@waymark/kernel/erasure/erasure-steps';
import type { Database } from '@waymark/kernel/mongo/database';
import type { RetiredHostStore } from './domains/retired-host-store.js';

/** Without its row a domain serves nothing, and another workspace can register the hostname. */
export const erasureSteps = (db: Database, retiredHosts: RetiredHostStore): ErasureSteps => ({
  workspace: [
    retireAndRemoveDomains(db, retiredHosts),
    removeQuotas(db),
    removeOfWorkspace(db, 'idempotency_keys'),
    removeOutboxEvents(db),
  ],
  user: [redactOutboxEvents(db)],
});

/** Retires only hosts that serve links: a workspace can register any host, but verify only its own. */
function retireAndRemoveDomains(db: Database, retiredHosts: RetiredHostStore): ErasureStep {
  return {
    name: 'domains',
    eraseBatch: async (workspace, limit) => {
      const ids = await findIds(db, 'domains', { filter: { workspace }, limit });
      const domains = db.connection.collection<{ _id: string; hostname: string }>('domains');
      const serving = await domains.find({ _id: { $in: ids }, held: true }, { projection: { hostname: 1 } }).toArray();
      await retiredHosts.retireHosts(serving.map(({ hostname }) => hostname));
      return removeWhere(db, 'domains', () => ({ _id: { $in: ids } })).eraseBatch(workspace, limit);
    },
  };
}
