import type { Statement } from './postgres-connection.js';

/** Columns of the answer: one document; a write's result and whether all of it succeeded; a cursor's first page. */
export type Shape = 'document' | 'write' | 'page';

export interface DatabaseCommand extends Statement {
  shape: Shape;
  /** The field that a driver may send as a document sequence. */
  sequence?: string;
}

const BSON = 'documentdb_core.bson';
const SEQUENCE = 'documentdb_core.bsonsequence';

function page(name: string, called: string): [string, DatabaseCommand] {
  const columns = 'cursorpage, continuation, persistconnection, cursorid';
  return [name, { name, shape: 'page', sql: `SELECT ${columns} FROM documentdb_api.${called}($1, $2::${BSON})` }];
}

function write(name: string, sequence?: string): [string, DatabaseCommand] {
  const sql = `SELECT p_result, p_success FROM documentdb_api.${name}($1, $2::${BSON}, $3::${SEQUENCE})`;
  return [name, { name, shape: 'write', sequence, sql }];
}

function document(name: string, call: string): [string, DatabaseCommand] {
  return [name, { name, shape: 'document', sql: `SELECT ${call}` }];
}

/** Commands that DocumentDB answers whole from (database, command). */
export const DATABASE_COMMANDS: ReadonlyMap<string, DatabaseCommand> = new Map([
  page('find', 'find_cursor_first_page'),
  page('aggregate', 'aggregate_cursor_first_page'),
  page('listIndexes', 'list_indexes_cursor_first_page'),
  page('listCollections', 'list_collections_cursor_first_page'),
  write('insert', 'documents'),
  write('update', 'updates'),
  write('delete', 'deletes'),
  document('count', `documentdb_api.count_query($1, $2::${BSON})`),
  document('distinct', `documentdb_api.distinct_query($1, $2::${BSON})`),
  document('create', `documentdb_api.create_collection_view($1, $2::${BSON})`),
  document('validate', `documentdb_api.validate($1, $2::${BSON})`),
  // The background variant needs DocumentDB's scheduler.
  document('createIndexes', `documentdb_api_internal.create_indexes_non_concurrently($1, $2::${BSON}, true)`),
]);

export const FIND_AND_MODIFY: DatabaseCommand = {
  name: 'findAndModify',
  shape: 'write',
  sql: `SELECT p_result, p_success FROM documentdb_api.find_and_modify($1, $2::${BSON})`,
};

export const GET_MORE: Statement = {
  name: 'getMore',
  sql: `SELECT cursorpage, continuation FROM documentdb_api.cursor_get_more($1, $2::${BSON}, $3::${BSON})`,
};

export const DROP_INDEXES: Statement = {
  name: 'dropIndexes',
  sql: `CALL documentdb_api.drop_indexes($1, $2::${BSON})`,
};

export const COLL_MOD: Statement = {
  name: 'collMod',
  sql: `SELECT documentdb_api.coll_mod($1, $2, $3::${BSON})`,
};

export const DROP: Statement = { name: 'drop', sql: 'SELECT documentdb_api.drop_collection($1, $2)' };

export const DROP_DATABASE: Statement = { name: 'dropDatabase', sql: 'SELECT documentdb_api.drop_database($1)' };

export const LIST_DATABASES: Statement = {
  name: 'listDatabases',
  sql: `SELECT documentdb_api.list_databases($1::${BSON})`,
};

export const RENAME: Statement = {
  name: 'renameCollection',
  sql: `SELECT documentdb_api.rename_collection($1::${BSON})`,
};

export const COLL_STATS: Statement = { name: 'collStats', sql: 'SELECT documentdb_api.coll_stats($1, $2)' };

export const DB_STATS: Statement = { name: 'dbStats', sql: 'SELECT documentdb_api.db_stats($1)' };

/** The commands that can be explained, as their plan with the numbers of its execution (JSON). */
export const EXPLAIN: ReadonlyMap<string, Statement> = new Map(
  [
    ['find', 'bson_aggregation_find'],
    ['aggregate', 'bson_aggregation_pipeline'],
  ].map(([name, called]) => {
    const sql = `EXPLAIN (ANALYZE, FORMAT JSON) SELECT document FROM documentdb_api_catalog.${called}($1, $2::${BSON})`;
    return [name!, { name: `explain_${name}`, sql }];
  }),
);

/** Commits write by write: must not be retried as a whole. */
export const UPDATE_BULK: Statement = {
  name: 'updateBulk',
  sql: `CALL documentdb_api.update_bulk($1, $2::${BSON}, $3::${SEQUENCE})`,
};

export const COUNT: Statement = DATABASE_COMMANDS.get('count')!;

/** Name and key of an index, by its own name or by the number in its PostgreSQL name (`documents_rum_index_7`). */
export const INDEX_OF_COLLECTION: Statement = {
  name: 'index_of_collection',
  sql: `SELECT (index_spec).index_name, (index_spec).index_key
        FROM documentdb_api_catalog.collection_indexes JOIN documentdb_api_catalog.collections USING (collection_id)
        WHERE database_name = $1 AND collection_name = $2 AND ((index_spec).index_name = $3 OR index_id = $4)`,
};
