import { bind, sql, type Sql } from './sql.js';

/** The condition that every query needs. */
export function isOfWorkspace(workspace: string): Sql {
  if (workspace === '') throw new TypeError('a query must name its workspace');
  return sql`workspace = ${bind.text(workspace)}`;
}
