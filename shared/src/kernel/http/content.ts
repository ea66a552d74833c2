import type { Response } from 'express';

/** What is sent as it is. A stream is read as fast as the client takes it. */
export type Content = string | Buffer | AsyncIterable<string | Buffer>;

/** A client, or a source, that is silent this long in the middle of a stream is given up. */
const SILENCE_TIMEOUT_MS = 60_000;

/**
 * Sends a stream. What fails before its first piece is thrown while nothing is sent or set yet, and so is answered like any
 * other error; a client that goes away ends the stream at its source.
 */
export async function sendStream(
  response: Response,
  pieces: AsyncIterable<string | Buffer>,
  headers: Record<string, string> = {},
): Promise<void> {
  response.setTimeout(SILENCE_TIMEOUT_MS);
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.headersSent) response.set(headers);
    if (!response.write(piece)) await drained(response);
  }
  if (!response.headersSent) response.set(headers);
  response.end();
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
