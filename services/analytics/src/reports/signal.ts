import type { Response } from 'express';

/** Aborted when the client goes away before its answer is complete. */
export function signalOf(response: Response): AbortSignal {
  const abort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  return abort.signal;
}
