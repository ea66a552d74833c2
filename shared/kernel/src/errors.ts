import { tooSlow, type Problem, type FieldProblems } from '@waymark/contract/problems';

/** Maps each error code to its HTTP status; the only such map. */
export const STATUS_OF = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limit_exceeded: 429,
  server_error: 500,
  service_unavailable: 503,
} as const;
export type ErrorCode = keyof typeof STATUS_OF;

export type ErrorDetails = Record<string, unknown>;

/** A problem as answers show it. */
export interface NamedProblem extends Problem {
  /** The path of the field in the body, or the name of the parameter. */
  field: string;
}

/**
 * One error, three audiences: `code` and `problems` for machines, `message` and `details` for people, `cause` for the log
 * alone.
 */
export class AppError extends Error {
  readonly details?: ErrorDetails;
  readonly problems?: readonly NamedProblem[];
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: {
      details?: ErrorDetails;
      problems?: readonly NamedProblem[];
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.details = options.details;
    this.problems = options.problems;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return STATUS_OF[this.code];
  }
}

export const notFound = (message: string) => new AppError('not_found', message);

/**
 * Returns the error for a thing that its workspace does not have, or that is not the caller's.
 * @param kind as users call it, e.g. `link`
 * @param place where the thing was looked for
 */
export const missing = (kind: string, id: string, place = 'in this workspace'): AppError =>
  notFound(`There is no ${kind} ${printable(id)}${place && ` ${place}`}.`);

/** Returns what a caller sent, bounded and without characters that change how a text is shown. */
export function printable(text: string, max = 64): string {
  const shown = text.slice(0, max).replace(/[^\x21-\x7e]/g, '?');
  return text.length > max ? `${shown}…` : shown;
}

/** Returns the error for invalid fields. */
export function invalid(fields: FieldProblems): AppError {
  const problems = Object.entries(fields).flatMap(([field, found]) => found.map((problem) => ({ field, ...problem })));
  return new AppError('validation_failed', summaryOf(problems), { details: messagesOf(problems), problems });
}

/** Returns the messages of each field, in an object without a prototype: a client may call a field `constructor`. */
function messagesOf(problems: readonly NamedProblem[]): Record<string, string[]> {
  const messages = Object.create(null) as Record<string, string[]>;
  for (const { field, message } of problems) (messages[field] ??= []).push(message);
  return messages;
}

/** Returns the first problem and the number of the others, as one text. */
export function summaryOf([first, ...others]: readonly Problem[]): string {
  if (!first) return 'The request is invalid.';
  const count = others.reduce((sum, problem) => sum + countOf(problem), 0);
  if (count === 0) return first.message;
  const rest = `and ${count} more ${count === 1 ? 'problem' : 'problems'}.`;
  return first.message.endsWith('.') ? `${first.message.slice(0, -1)}, ${rest}` : `${first.message} A${rest.slice(1)}`;
}

/** How many problems an entry stands for: some count others, and some only explain. */
function countOf({ code, params }: Problem): number {
  if (code === 'more_problems') return Number(params?.['count']);
  return code === 'known_columns' ? 0 : 1;
}

/** Returns the error for an option of an operator's command, which only people read. */
export const invalidOption = (option: string, message: string): AppError =>
  new AppError('validation_failed', message, { details: { [option]: [message] } });

/**
 * Returns the error for a query that is too expensive.
 * @param advice says how to narrow the query
 */
export const tooExpensive = (message: string, advice: string, cause: unknown): AppError =>
  new AppError('validation_failed', `${message} ${advice}`, {
    details: { narrow: [advice] },
    problems: [{ field: 'narrow', ...tooSlow(advice) }],
    cause,
  });

/** @param retryAfterSeconds rounded up to whole seconds */
export const unavailable = (cause?: unknown, retryAfterSeconds = 2) =>
  new AppError('service_unavailable', 'The service is temporarily unavailable. Try again later.', {
    headers: { 'Retry-After': String(Math.ceil(retryAfterSeconds)) },
    cause,
  });

/**
 * @param message says which limit is reached, and is for the caller
 * @param retryAfterSeconds rounded up to whole seconds, at least one
 */
export const tooManyRequests = (message: string, retryAfterSeconds: number): AppError =>
  new AppError('rate_limit_exceeded', message, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });

/** Errors of the database's and the broker's clients while their server is unreachable, by name. */
const OUTAGE_NAMES: ReadonlySet<unknown> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'PoolClearedOnNetworkError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
  'BrokerUnavailable',
  'PublishRefused',
  'NoAnswer',
  // Of amqplib, about a channel or a connection that has closed.
  'IllegalOperationError',
]);
/**
 * Codes of a MongoDB that answers and refuses the work until an operator acts. Unauthorized (13) is none: it is about one
 * operation, which the other ones need not wait for.
 */
const REFUSAL_CODES: ReadonlySet<unknown> = new Set([
  18, // AuthenticationFailed: the password was changed
  371, // UserWritesBlocked: e.g. during a migration between clusters
  391, // ReauthenticationRequired
  8000, // AtlasError: e.g. the storage of the plan is used up
  14031, // OutOfDiskSpace
]);
/**
 * Codes of a MongoDB that is failing over, shutting down or cut off from its majority.
 * MaxTimeMSExpired (50) is none: there the operation itself was too slow.
 */
const OUTAGE_CODES: ReadonlySet<unknown> = new Set([
  ...REFUSAL_CODES,
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the new primary does not have the old one's cursors
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern: members are missing
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  9001, // SocketException
  10058, // LegacyNotPrimary
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);
/**
 * Codes of Node for a connection that ended or was not made, where a client passes them on unchanged. ECONNREFUSED and its
 * like are none: they also say that the address of a customer's server is wrong.
 */
const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
/** The server or the driver labels with these the operations that succeed when retried. */
const OUTAGE_LABELS = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];

/** True when the server is unreachable, failing over or refuses all work: the same work can succeed later. */
export function isOutage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof AppError && error.code === 'service_unavailable') return true;
  // A bulk write that got no answer wraps the reason in `errorResponse`.
  const { name, message, code, cause, errorLabels, errorResponse } = error as Partial<Record<string, unknown>>;
  if (OUTAGE_NAMES.has(name)) return true;
  if (name === 'MongooseError' && /initial connection|before connecting/.test(String(message))) return true;
  if (CONNECTION_CODES.has(code)) return true;
  if (OUTAGE_CODES.has(code) || OUTAGE_CODES.has(writeConcernCode(error))) return true;
  if (Array.isArray(errorLabels) && OUTAGE_LABELS.some((label) => errorLabels.includes(label))) return true;
  return isOutage(cause) || isOutage(errorResponse);
}

/** True for an outage that lasts until an operator acts, although the database answers. */
export function needsOperator(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause, errorResponse } = error as Error & Partial<Record<string, unknown>>;
  if (REFUSAL_CODES.has(code) || REFUSAL_CODES.has(writeConcernCode(error))) return true;
  return needsOperator(cause) || needsOperator(errorResponse);
}

/** True when the same work can succeed later without a change: an outage, or too much work at the same time. */
export const isTemporary = (error: unknown): boolean =>
  isOutage(error) || (error instanceof AppError && error.code === 'rate_limit_exceeded');

/** Returns the code of a bulk write that the primary has applied and the majority has not confirmed. */
function writeConcernCode(error: object): unknown {
  const { result } = error as { result?: { getWriteConcernError?: () => { code?: unknown } | undefined } };
  return result?.getWriteConcernError?.()?.code;
}

/** True when an operation of MongoDB exceeded its `maxTimeMS`. */
export const isTimeLimitExceeded = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 50;

export const isDuplicateKey = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 11000;

/** TransactionTooLarge, and TransactionTooLargeForCache: a part of the work can still succeed. */
export const isTransactionTooLarge = (error: unknown): boolean =>
  [257, 388].includes((error as { code?: number } | null)?.code ?? 0);

/** True for an unordered bulk write that failed only for duplicate keys; the majority confirmed its other writes. */
export function isOnlyDuplicateKeys(error: unknown): boolean {
  // A bulk write that got no answer has no write errors, but it does not have this code either.
  if (!isDuplicateKey(error) || writeConcernCode(error as object) !== undefined) return false;
  const { writeErrors = [] } = error as { writeErrors?: unknown };
  return [writeErrors].flat().every(isDuplicateKey);
}
