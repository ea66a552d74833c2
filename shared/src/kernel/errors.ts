/** Code for machines and its HTTP status: the only map of the two. */
export const STATUS_OF = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limit_exceeded: 429,
  server_error: 500,
  service_unavailable: 503,
} as const;
export type ErrorCode = keyof typeof STATUS_OF;

export type ErrorDetails = Record<string, unknown>;

/** One error, three audiences: `code` for machines, `message` and `details` for people, `cause` for the log alone. */
export class AppError extends Error {
  readonly details?: ErrorDetails;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return STATUS_OF[this.code];
  }
}

export const notFound = () => new AppError('not_found', 'Not found.');

export const invalid = (details: Record<string, string[]>) =>
  new AppError('validation_failed', 'The given data was invalid.', { details });

export const unavailable = (cause?: unknown) =>
  new AppError('service_unavailable', 'The service is temporarily unavailable. Try again later.', {
    headers: { 'Retry-After': '2' },
    cause,
  });

/** Names of the errors that the database's and the broker's clients throw while their server is away. */
const OUTAGES = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
  'BrokerUnavailable',
]);
/** Not the primary, shutting down, interrupted by either: see MongoDB's retryable error codes. */
const OUTAGE_CODES = new Set([91, 189, 262, 10107, 11600, 11602, 13435, 13436]);

/** True when the cause is a server that is away, not the work itself: trying again later can succeed. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AppError && error.code === 'service_unavailable') return true;
  if (OUTAGES.has(error.name)) return true;
  if (error.name === 'MongooseError' && /initial connection|before connecting/.test(error.message)) return true;
  // `errorResponse`: a bulk write that got no answer wraps the reason there.
  const { code, cause, errorResponse } = error as { code?: unknown; cause?: unknown; errorResponse?: unknown };
  return (typeof code === 'number' && OUTAGE_CODES.has(code)) || isOutage(cause) || isOutage(errorResponse);
}

export const isDuplicateKey = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 11000;

/** True for an unordered bulk write that has done all but what would have been there twice. */
export function isOnlyDuplicateKeys(error: unknown): boolean {
  // One that got no answer has no write errors, but neither this code.
  const { writeErrors = [] } = error as { writeErrors?: unknown };
  return isDuplicateKey(error) && [writeErrors].flat().every(isDuplicateKey);
}
