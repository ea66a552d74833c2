import type { LoadedTable } from '../loaded-table.js';
import { onCluster } from '../schema.js';
import { bind, sql, Sql } from './sql.js';

type TableName = LoadedTable<never>['name'];

const TABLES: Record<TableName, Sql> = { scans: sql`scans`, conversions: sql`conversions` };
const LOCAL_TABLES: Record<TableName, Sql> = { scans: sql`scans_local`, conversions: sql`conversions_local` };

/** One UTC day (`YYYY-MM-DD`) of a workspace in a table. */
export interface TableDay {
  table: TableName;
  workspace: string;
  day: string;
}

/** Selects the rows of the day, deduplicated. */
export function rowsOfDaySql(tableDay: TableDay, columns: Sql): Sql {
  return sql`SELECT ${columns} FROM ${TABLES[tableDay.table]} FINAL WHERE ${conditionOf(tableDay)}`;
}

/** Selects the first UTC day with rows, starting at `day`. */
export function nextDaySql({ table, workspace, day }: TableDay): Sql {
  const isLater = sql`${isOfWorkspace(workspace)} AND toDate(at) >= ${bind.date(day)}`;
  return sql`SELECT toString(toDate(at)) AS day FROM ${TABLES[table]} WHERE ${isLater} ORDER BY toDate(at) LIMIT 1`;
}

/** Deletes some rows of the day, on every shard. */
export function deleteOfDaySql(tableDay: TableDay, ids: readonly string[], cluster: string | undefined): Sql {
  return sql`DELETE FROM ${storedTable(tableDay.table, cluster)} WHERE ${conditionOf(tableDay)} AND id IN ${bind.texts(ids)}`;
}

/**
 * Returns the table that stores the rows (on a cluster, the local table of each shard). The cluster is part of the text,
 * because ClickHouse takes no bound value in its place; it is the operator's setting.
 */
export function storedTable(table: TableName, cluster: string | undefined): Sql {
  return cluster === undefined ? TABLES[table] : sql`${LOCAL_TABLES[table]}${new Sql([onCluster(cluster)], [])}`;
}

const conditionOf = ({ workspace, day }: TableDay): Sql =>
  sql`${isOfWorkspace(workspace)} AND toDate(at) = ${bind.date(day)}`;

/** The condition that every query needs. */
export function isOfWorkspace(workspace: string): Sql {
  if (workspace === '') throw new TypeError('a query must name its workspace');
  return sql`workspace = ${bind.text(workspace)}`;
}
