import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '@waymark/shared/kernel/errors';
import type { Handling } from '@waymark/shared/kernel/http/handling';
import type { ReaderInput, ReaderMessage } from './reader-messages.js';

/** A thread runs emitted code, also where tests run the sources. */
const THREAD = join(__dirname.replace(/resource\/src\/imports$/, 'resource/dist/imports'), 'reader-thread.js');

/** Twice what the largest valid body takes. */
const HEAP_MB = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

type Rows = Extract<ReaderMessage, { kind: 'rows' }>;
type End = Extract<ReaderMessage, { kind: 'end' }>;

/**
 * Reads the body of an import in a thread with a heap of its own: neither its size nor its shape blocks the event loop or
 * ends the process. The next chunk of rows is read when the one before is stored.
 * @param body is moved to the thread
 * @throws AppError where the body is refused
 */
export async function readInThread(
  body: Buffer<ArrayBuffer>,
  handling: Handling,
  store: (rows: Rows) => Promise<void>,
): Promise<End> {
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const workerData: ReaderInput = { bytes, handling };
  const thread = new Worker(THREAD, { workerData, transferList: [body.buffer], resourceLimits: HEAP_MB });
  const failed = once(thread, 'exit').then(([code]) => {
    throw new Error(`the thread that reads an import has ended with ${code}`);
  });
  failed.catch(() => undefined);
  try {
    for (;;) {
      const [message] = (await Promise.race([once(thread, 'message'), failed])) as [ReaderMessage];
      if (message.kind === 'refused') throw new AppError(message.code, message.message, { details: message.details });
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

const tooComplex = (cause: unknown) =>
  new AppError('payload_too_large', 'The import is too complex to be read. Send fewer rows at a time.', { cause });
