import { serialize } from 'bson';
import { mongoCode, NO_SUCH_TRANSACTION, WRITE_CONFLICT } from './error-codes.js';
import { PostgresError } from './postgres-connection.js';

/** An error as a driver reads it from a reply. */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;

  constructor(
    { code, codeName }: { code: number; codeName: string },
    message: string,
    readonly extra: Record<string, unknown> = {},
  ) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}

export function noSuchTransaction(message = 'the transaction has been aborted or never started'): CommandError {
  return new CommandError({ code: NO_SUCH_TRANSACTION, codeName: 'NoSuchTransaction' }, message);
}

export function writeConflict(): CommandError {
  return new CommandError(
    { code: WRITE_CONFLICT, codeName: 'WriteConflict' },
    'another transaction has written the same document',
  );
}

/** An upsert found nothing and then met its key: it may have lost a race, which a second attempt shows. */
export class DuplicateUpsert extends Error {
  constructor(
    readonly reply: Buffer | undefined,
    cause?: PostgresError,
  ) {
    super('duplicate key in an upsert', { cause });
  }
}

const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);

/** Another transaction was first: the whole statement was rolled back and may be retried. */
export function isConflict(error: unknown): boolean {
  if (error instanceof CommandError) return error.code === WRITE_CONFLICT;
  if (!(error instanceof PostgresError)) return false;
  return (
    CONFLICTS.has(error.sqlState) || isLateLockTimeout(error) || isCreationConflict(error) || isChangedUnderNow(error)
  );
}

/** A lock timeout that fires as the lock is granted: PostgreSQL takes it for a cancellation, which is never sent. */
function isLateLockTimeout(error: PostgresError): boolean {
  return error.sqlState === '57014' && error.message.endsWith('user request');
}

/** Two transactions that create the same collection by their first insert: DocumentDB has no code for it. */
function isCreationConflict(error: PostgresError): boolean {
  return error.sqlState === 'M0000' && error.message.startsWith('Unable to create the specified collection');
}

/** DocumentDB evaluates an update again when its row was changed meanwhile, and then has no `$$NOW`. */
function isChangedUnderNow(error: PostgresError): boolean {
  return error.sqlState === 'M0003' && error.message.startsWith('The $$NOW operator cannot be used');
}

export function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (isConflict(error)) return writeConflict();
  if (error instanceof PostgresError) {
    const { code, codeName } = mongoCode(error.sqlState);
    const state = code === 1 ? ` (SQLSTATE ${error.sqlState})` : '';
    return new CommandError({ code, codeName }, error.message + state);
  }
  return new CommandError(
    { code: 1, codeName: 'InternalError' },
    error instanceof Error ? error.message : String(error),
  );
}

export function errorReply(error: CommandError): Buffer {
  const transient = error.code === WRITE_CONFLICT || error.code === NO_SUCH_TRANSACTION;
  return Buffer.from(
    serialize({
      ok: 0,
      errmsg: error.message,
      code: error.code,
      codeName: error.codeName,
      ...error.extra,
      ...(transient ? { errorLabels: ['TransientTransactionError'] } : {}),
    }),
  );
}
