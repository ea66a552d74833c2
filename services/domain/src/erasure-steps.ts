import {
  redactOutboxEvents,
  removeOfWorkspace,
  removeOutboxEvents,
  removeQuotas,
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

interface DomainRow {
  _id: string;
  workspace: string;
  hostname: string;
  held: boolean;
}

/** Retires only hosts that serve links: a workspace can register any host, but verify only its own. */
function retireAndRemoveDomains(db: Database, retiredHosts: RetiredHostStore): ErasureStep {
  return {
    name: 'domains',
    eraseBatch: async (workspace, limit) => {
      const domains = db.connection.collection<DomainRow>('domains');
      const rows = await domains
        .find({ workspace }, { projection: { hostname: 1, held: 1 } })
        .limit(limit)
        .toArray();
      await retiredHosts.retireHosts(rows.filter(({ held }) => held).map(({ hostname }) => hostname));
      await domains.deleteMany({ _id: { $in: rows.map(({ _id }) => _id).sort() } });
      return rows.length;
    },
  };
}
