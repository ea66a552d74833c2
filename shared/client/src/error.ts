import type { components } from './generated/links.js';

/** One thing that is wrong with a request: go by its `code`, which keeps its meaning. */
export type Problem = components['schemas']['Problem'];

/** The body of an error, as the API sends it. */
interface ErrorBody {
  error?: { code?: string; message?: string; details?: Record<string, unknown>; problems?: Problem[] };
}

interface Facts {
  status?: number;
  code: string;
  message: string;
  details?: Record<string, unknown>;
  problems?: readonly Problem[];
  requestId?: string | null;
  retryAfter?: number | null;
  cause?: unknown;
}

/** A call without the wanted result. It contains nothing of the request: no token, no header and no body. */
export class WaymarkError extends Error {
  override readonly name = 'WaymarkError';
  /** The status of the answer; 0 when there was none. */
  readonly status: number;
  /**
   * The `error.code` of the answer, e.g. `validation_failed`; `network_error` or `timeout` without an answer, and
   * `unknown` for an answer that is not the API's.
   */
  readonly code: string;
  /** What is wrong with which field; empty unless the status is 422. */
  readonly problems: readonly Problem[];
  /** More about the error, e.g. `reason` of a 403; what there is depends on the code. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Names the request in the logs of the server; `null` without an answer. */
  readonly requestId: string | null;
  /** Seconds until the same request may succeed; `null` when the answer does not say. */
  readonly retryAfter: number | null;

  constructor({
    status = 0,
    code,
    message,
    details = {},
    problems = [],
    requestId = null,
    retryAfter = null,
    cause,
  }: Facts) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.problems = problems;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** Returns the error of an answer that is not a success. */
  static ofAnswer(response: Response, body: string): WaymarkError {
    const { code = 'unknown', message, details, problems } = errorIn(body);
    return new WaymarkError({
      status: response.status,
      code,
      message: message ?? `The server answered ${response.status}.`,
      ...(details && { details }),
      ...(problems && { problems }),
      requestId: response.headers.get('x-request-id'),
      retryAfter: retryAfterOf(response),
    });
  }
}

/** Returns the seconds of `Retry-After`, which has a number or a date (RFC 9110, 10.2.3). */
export function retryAfterOf({ headers }: Response): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}

function errorIn(body: string): NonNullable<ErrorBody['error']> {
  try {
    return (JSON.parse(body) as ErrorBody | null)?.error ?? {};
  } catch {
    return {};
  }
}
