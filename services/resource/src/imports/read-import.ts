import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '@waymark/kernel/errors';
import type { Handling } from '@waymark/kernel/http/handling';
import { withTimeout } from '@waymark/kernel/async/with-timeout';
import { readChunks } from './read-chunks.js';
import type { ReaderEnd, ReaderInput, ReaderMessage, ReaderRows } from './reader-messages.js';

/** A thread runs compiled code, even if tests run the sources. */
const THREAD = join(__dirname.replace(/resource\/src\/imports$/, 'resource/dist/imports'), 'reader-thread.js');

/** Twice the heap that the largest valid body takes. */
const HEAP_MB = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

/** Starting a thread takes longer than reading a body of this size, of any shape. */
const WITHOUT_THREAD_BYTES_MAX = 4 * 1024;

export const needsNoThread = (body: Buffer): boolean => body.length <= WITHOUT_THREAD_BYTES_MAX;

export interface ImportRequest {
  /** Owns its memory, which is transferred to a thread. */
  body: Buffer<ArrayBuffer>;
  handling: Handling;
}

/**
 * Reads the body of an import, each chunk of rows once the previous one is stored. It reads a large body in a thread.
 * @param timeoutMs limits the time that the thread takes, without that of `store`
 * @throws AppError if the body is refused
 */
export function readImport(
  { body, handling }: ImportRequest,
  timeoutMs: number,
  store: (rows: ReaderRows) => Promise<void>,
): Promise<ReaderEnd> {
  const input = { bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength), handling };
  return needsNoThread(body) ? readChunks(input, store) : readInThread(input, timeoutMs, store);
}

/** The thread has its own heap: neither the size nor the shape of a body blocks the event loop or ends the process. */
async function readInThread(
  workerData: ReaderInput,
  timeoutMs: number,
  store: (rows: ReaderRows) => Promise<void>,
): Promise<ReaderEnd> {
  const transferList = [workerData.bytes.buffer];
  const thread = new Worker(THREAD, { workerData, transferList, resourceLimits: HEAP_MB });
  const failed = once(thread, 'exit').then(([code]) => {
    throw new Error(`the thread that reads an import has ended with ${code}`);
  });
  failed.catch(() => undefined);
  let remainingMs = timeoutMs;
  try {
    for (;;) {
      const startedAt = performance.now();
      const received = Promise.race([once(thread, 'message'), failed]);
      const [message] = (await withTimeout(remainingMs, received, tooSlow)) as [ReaderMessage];
      remainingMs -= performance.now() - startedAt;
      if (message.kind === 'refused') throw new AppError(message.code, message.message, message);
      if (message.kind === 'end') return message;
      await store(message);
      thread.postMessage('next');
    }
  } catch (error) {
    throw isOutOfMemory(error) ? tooComplex(error) : error;
  } finally {
    await thread.terminate();
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooSlow = () =>
  new AppError('payload_too_large', 'The import takes too long to be read. Send fewer rows at a time.');

const tooComplex = (cause: unknown) =>
  new AppError('payload_too_large', 'The import is too complex to be read. Send fewer rows at a time.', { cause });
