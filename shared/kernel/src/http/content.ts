import { setImmediate as otherWork } from 'node:timers/promises';
import type { Response } from 'express';

/** Sent unchanged. A stream is read as fast as the client takes it. */
export type Content = string | Buffer | AsyncIterable<string | Buffer>;

/** A client that takes no piece for this long, or a source that gives none, ends the stream. */
const SILENCE_TIMEOUT_MS = 60_000;
/** Limits a whole stream: a client that reads just fast enough not to be silent must not hold its source forever. */
const STREAM_TIMEOUT_MS = 30 * 60_000;

interface StreamOptions {
  headers?: Record<string, string>;
  /** Limits the whole stream; 30 minutes by default. */
  timeoutMs?: number;
}

/**
 * Sends a stream, of which one piece at a time is in memory. An error before the first piece is thrown before anything
 * is sent or set, and is answered like any other; a client that disconnects ends the stream at its source.
 */
export async function sendStream(
  response: Response,
  pieces: AsyncIterable<string | Buffer> | Iterable<string>,
  { headers = {}, timeoutMs = STREAM_TIMEOUT_MS }: StreamOptions = {},
): Promise<void> {
  response.setTimeout(SILENCE_TIMEOUT_MS);
  const deadline = setTimeout(() => response.destroy(), timeoutMs);
  response.once('close', () => clearTimeout(deadline));
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.headersSent) response.set(headers);
    // A client that is as fast as its source would keep all others waiting.
    if (response.write(piece)) await otherWork();
    else await drained(response);
  }
  if (!response.headersSent) response.set(headers);
  response.end();
}

/** Resolves once the client has taken what was written; a client that takes too long is cut off. */
function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), SILENCE_TIMEOUT_MS);
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done).off('close', done);
      setImmediate(resolve);
    };
    response.on('drain', done).on('close', done);
  });
}
