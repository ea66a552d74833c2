import type { Response } from 'express';

/** Returns a signal that is aborted when the client disconnects before the response is complete. */
export function abortSignalOf(response: Response): AbortSignal {
  // No later event would abort it.
  if (response.destroyed) return AbortSignal.abort();
  const abort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  return abort.signal;
}
