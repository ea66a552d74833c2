import { ClickHouseError } from '@clickhouse/client';
import { unavailable } from '@waymark/kernel/errors';

/** The server is busy, read-only, or disconnected from its cluster: a retry can succeed. */
const OUTAGE_CODES = new Set([
  '60', // UNKNOWN_TABLE: see `isTableLoss`
  '81', // UNKNOWN_DATABASE
  '164', // READONLY
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '203', // NO_FREE_CONNECTION
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '225', // NO_ZOOKEEPER
  '236', // ABORTED: the server shuts down
  '242', // TABLE_IS_READ_ONLY
  '243', // NOT_ENOUGH_SPACE
  '252', // TOO_MANY_PARTS
  '279', // ALL_CONNECTION_TRIES_FAILED
  '999', // KEEPER_EXCEPTION
]);
const MEMORY_LIMIT_EXCEEDED = '241';
/** The query exceeds one of its limits. */
const LIMIT_CODES = new Set([
  '158', // TOO_MANY_ROWS
  '159', // TIMEOUT_EXCEEDED
  '160', // TOO_SLOW
  MEMORY_LIMIT_EXCEEDED,
  '307', // TOO_MANY_BYTES
  '396', // TOO_MANY_ROWS_OR_BYTES
]);

/** Rows that the server can never parse. Other errors are retried until they succeed. */
const REFUSAL_CODES = new Set([
  '6', // CANNOT_PARSE_TEXT
  '26', // CANNOT_PARSE_QUOTED_STRING
  '27', // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  '33', // CANNOT_READ_ALL_DATA
  '38', // CANNOT_PARSE_DATE
  '41', // CANNOT_PARSE_DATETIME
  '53', // TYPE_MISMATCH
  '69', // ARGUMENT_OUT_OF_BOUND
  '72', // CANNOT_PARSE_NUMBER
  '117', // INCORRECT_DATA
  '131', // TOO_LARGE_STRING_SIZE
  '349', // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  '441', // CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING
  '467', // CANNOT_PARSE_BOOL
]);

/** Converts connection errors and time-outs of the client, and outages of the server, to `unavailable`. */
export function asOutage(error: unknown): unknown {
  if (error instanceof ClickHouseError)
    return OUTAGE_CODES.has(error.code) || isServerFull(error) ? unavailable(error) : error;
  return isConnectionError(error) ? unavailable(error) : error;
}

/** Whether the server has lost the tables: its volume was replaced, or the database was dropped. */
export const isTableLoss = (error: unknown): boolean =>
  error instanceof ClickHouseError && ['60', '81'].includes(error.code);

/** Whether the server refuses the rows of an insert. */
export const isRowRefusal = (error: unknown): boolean =>
  error instanceof ClickHouseError && REFUSAL_CODES.has(error.code);

/** Whether the query has hit one of its limits. */
export const isLimitExceeded = (error: unknown): boolean =>
  error instanceof ClickHouseError && LIMIT_CODES.has(error.code) && !isServerFull(error);

/** Whether the query needs more memory than one query may use. */
export const isMemoryExceeded = (error: unknown): boolean =>
  error instanceof ClickHouseError && error.code === MEMORY_LIMIT_EXCEEDED && !isServerFull(error);

/** The whole server is out of memory, so a narrower query would also fail. */
const isServerFull = ({ code, message }: ClickHouseError): boolean =>
  code === MEMORY_LIMIT_EXCEEDED && /\(total\)/.test(message);

const CONNECTION_CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/;

function isConnectionError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && CONNECTION_CODES.test(code)) return true;
  return typeof message === 'string' && /^timeout error|socket hang up|socket closed/i.test(message);
}
