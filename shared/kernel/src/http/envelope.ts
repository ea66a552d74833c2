import type { Response } from 'express';
import { isVersioned } from '@waymark/contract/route';
import { AppError, isOutage, notFound, unavailable } from '../errors.js';
import type { Log } from '../process/log.js';

interface BodyParserError {
  type?: string;
  status?: number;
}

/** Returns the error as the client may see it; any unexpected error becomes a plain 500. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isOutage(error)) return unavailable(error);
  const { type, status } = (error ?? {}) as BodyParserError;
  if (type === 'entity.parse.failed' || type === 'request.size.invalid' || type === 'request.aborted')
    return new AppError('bad_request', 'The body is not valid JSON.', { cause: error });
  if (type === 'entity.too.large') return new AppError('payload_too_large', 'The body is too large.', { cause: error });
  if (type === 'encoding.unsupported')
    return new AppError('unsupported_media_type', 'The Content-Encoding is not supported.', { cause: error });
  // A path that is not valid percent-encoding names nothing.
  if (error instanceof URIError) return notFound('The path is not valid percent-encoding.');
  if (status === 400) return new AppError('bad_request', 'The request is malformed.', { cause: error });
  return new AppError('server_error', 'Something went wrong on our side.', { cause: error });
}

/** Writes every error of the API: `{error}` on versioned paths, with the fields of older clients on the others. */
export function sendError(response: Response, error: unknown, { path, log }: { path: string; log: Log }): void {
  const hasClientLeft = response.destroyed && (error as Error | undefined)?.name === 'AbortError';
  if (hasClientLeft) return;
  const known = toAppError(error);
  if (known.code === 'server_error') log.error({ err: known.cause }, 'request failed');
  else if (known.status >= 500) log.warn({ err: known.cause }, 'a dependency is unavailable');
  if (response.headersSent) return void response.destroy();
  const body = errorBody(known);
  const older =
    known.code === 'validation_failed'
      ? { message: known.message, errors: listsOnly(known.details) }
      : { message: known.message };
  response
    .status(known.status)
    .set({ ...(known.code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }), ...known.headers })
    .json(isVersioned(path) ? { error: body } : { ...older, error: body });
}

/** Returns the error as answers show it. */
export const errorBody = ({ code, message, details, problems }: AppError) => ({
  code,
  message,
  ...(details && { details }),
  ...(problems && { problems }),
});

function listsOnly(details: AppError['details'] = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([, messages]) => Array.isArray(messages)));
}
