import { sql, type Sql } from './sql.js';
import { isOfWorkspace, storedTable } from './table-day.js';

/** Every table with rows of workspaces. */
export const ERASED_TABLES = ['scans', 'conversions', 'links'] as const;
export type ErasedTable = (typeof ERASED_TABLES)[number];

const TABLES: Record<ErasedTable, Sql> = { scans: sql`scans`, conversions: sql`conversions`, links: sql`links` };

/** Counts the rows of a workspace, all versions of each. */
export const countRowsSql = (table: ErasedTable, workspace: string): Sql =>
  sql`SELECT count() AS rows FROM ${TABLES[table]} WHERE ${isOfWorkspace(workspace)}`;

/** Deletes every row of a workspace, on every shard. */
export function deleteRowsSql(table: ErasedTable, workspace: string, cluster: string | undefined): Sql {
  // Every server of a cluster replicates the links from the others.
  const stored = table === 'links' ? TABLES.links : storedTable(table, cluster);
  return sql`DELETE FROM ${stored} WHERE ${isOfWorkspace(workspace)}`;
}
