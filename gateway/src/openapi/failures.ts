import { STATUS_OF, type ErrorCode } from '@waymark/kernel/errors';

interface Failure {
  /** What happened. */
  meaning: string;
  /** What a client does about it. */
  remedy: string;
}

const FAILURES: Readonly<Record<ErrorCode, Failure>> = {
  bad_request: {
    meaning: 'The request cannot be read: malformed JSON, or a header that the operation does not take.',
    remedy: 'Correct the request before you repeat it.',
  },
  unauthenticated: {
    meaning: 'The credential is missing, wrong, expired or revoked.',
    remedy: 'Sign in, or send a valid token.',
  },
  forbidden: {
    meaning: 'The caller may not do this. An unknown workspace answers the same.',
    remedy: 'The message says what is missing: an ability, a role, a plan, the CSRF token, or a recent sign-in.',
  },
  not_found: {
    meaning: 'The path or the item does not exist, or the item is not that of this workspace.',
    remedy: 'The message names what is missing. Check the ids.',
  },
  method_not_allowed: {
    meaning: 'The path does not have this method.',
    remedy: 'Use a method that `Allow` lists.',
  },
  request_timeout: {
    meaning: 'The request did not arrive completely in time: within 10 s, or 60 s for a large body.',
    remedy: 'Send it again, if need be in smaller parts.',
  },
  conflict: {
    meaning: 'The current state does not allow the change, or another request is at work.',
    remedy: 'The message says why. With `Retry-After`, repeat the request after that time.',
  },
  precondition_failed: {
    meaning: 'The current version of the item does not meet `If-Match` or `If-None-Match`. Nothing was changed.',
    remedy: 'Read the item again, and repeat the change with its new `ETag`.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the operation takes, perhaps only when it is decompressed.',
    remedy: 'Send less at a time.',
  },
  unsupported_media_type: {
    meaning: 'The body is not JSON in UTF-8, or its `Content-Encoding` is unknown.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  validation_failed: {
    meaning: 'Fields or parameters are invalid, a quota is used up, or a query takes too long. Nothing was changed.',
    remedy: 'Correct what `problems` names.',
  },
  rate_limit_exceeded: {
    meaning: 'There were too many requests or attempts.',
    remedy: 'Repeat the request after `Retry-After`.',
  },
  server_error: {
    meaning: 'The platform failed. Whether a change took effect is unknown.',
    remedy: 'Repeat the request, a change with the same `Idempotency-Key`; tell the operator the `X-Request-Id`.',
  },
  service_unavailable: {
    meaning: 'A part of the platform is unavailable or busy.',
    remedy: 'Repeat the request after `Retry-After`, a change with the same `Idempotency-Key`.',
  },
};

const CODES = Object.keys(FAILURES) as ErrorCode[];

/** Says what each error code means, with its status. */
export const ERROR_CODES = [
  'Says what kind of error it is. A code keeps its meaning; new ones may be added.',
  ...CODES.map((code) => `- \`${code}\` (${STATUS_OF[code]}): ${FAILURES[code].meaning} ${FAILURES[code].remedy}`),
].join('\n');

/** Describes the response with an error. */
export const describeFailure = (code: ErrorCode): string =>
  `\`${code}\`: ${FAILURES[code].meaning} ${FAILURES[code].remedy}`;
