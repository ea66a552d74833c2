import { unavailable } from '@waymark/kernel/errors';
import {
  redactOutboxEvents,
  removeOfWorkspace,
  removeOutboxEvents,
  removeWhere,
  type ErasureStep,
  type ErasureSteps,
} from '@waymark/kernel/erasure/erasure-steps';
import type { Database } from '@waymark/kernel/mongo/database';
import type { ConversionStore } from './conversions/conversion-store.js';
import type { PendingRowsStore } from './ledger/pending-rows.js';
import type { PendingTables } from './loading/pending-tables.js';
import { countRowsSql, deleteRowsSql, ERASED_TABLES, type ErasedTable } from './warehouse/query/erase-rows.js';
import type { Warehouse } from './warehouse/warehouse.js';

interface EraseContext {
  db: Database;
  warehouse: Warehouse;
  conversions: ConversionStore;
  pending: PendingTables;
}

/** The ledger, then the rows on their way to the warehouse, then the warehouse: nothing is loaded after it. */
export function erasureSteps(ctx: EraseContext): ErasureSteps {
  const { db } = ctx;
  return {
    workspace: [
      ...['scans', 'conversions', 'links', 'tags', 'reclassifications'].map((name) => removeOfWorkspace(db, name)),
      removeWhere(db, 'retentions', (_id) => ({ _id })),
      removeWhere(db, 'deleted_holders', (slug) => ({ 'detachment.workspace': slug })),
      ...Object.values(ctx.pending).map(removePendingRows),
      ...ERASED_TABLES.map((table) => removeFromWarehouse(ctx.warehouse, table)),
      removeOfWorkspace(db, 'idempotency_keys'),
      removeOutboxEvents(db),
    ],
    user: [
      { name: 'conversions', eraseBatch: (userId, limit) => ctx.conversions.forgetActor(userId, limit) },
      redactOutboxEvents(db),
    ],
  };
}

/** A batch that a loader has leased is in the warehouse soon: the pass is repeated then. */
function removePendingRows<Document>(pending: PendingRowsStore<Document>): ErasureStep {
  return {
    name: `pending_${pending.table.name}`,
    eraseBatch: async (workspace, limit) => {
      const { removed, leased } = await pending.removeRows(workspace, limit);
      if (removed === 0 && leased > 0) throw unavailable(new Error('rows of the workspace are being loaded'));
      return removed;
    },
  };
}

function removeFromWarehouse(warehouse: Warehouse, table: ErasedTable): ErasureStep {
  return {
    name: `warehouse_${table}`,
    eraseBatch: async (workspace) => {
      if (!warehouse.isReady) throw unavailable(new Error('the warehouse is not ready'));
      return warehouse.run(async (client) => {
        const result = await client.query({ ...countRowsSql(table, workspace).render(), format: 'JSONEachRow' });
        const [counted] = await result.json<{ rows: string }>();
        const rows = Number(counted!.rows);
        if (rows > 0) await client.command(deleteRowsSql(table, workspace, warehouse.cluster).render());
        return rows;
      });
    },
  };
}
