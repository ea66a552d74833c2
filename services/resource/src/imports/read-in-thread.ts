import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '@waymark/shared/kernel/errors';
import type { Handling } from '@waymark/shared/kernel/http/handling';
import { within } from '@waymark/shared/kernel/within';
import type { ReaderInput, ReaderMessage } from './reader-messages.js';

/** A thread runs emitted code, also where tests run the sources. */
const THREAD = join(__dirname.replace(/resource\/src\/imports$/, 'resource/dist/imports'), 'reader-thread.js');

/** Twice what the largest valid body takes. */
const HEAP_MB = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

type Rows = Extract<ReaderMessage, { kind: 'rows' }>;
type End = Extract<ReaderMessage, { kind: 'end' }>;

export interface ImportRequest {
  /** Is moved to the thread. */
  body: Buffer<ArrayBuffer>;
  handling: Handling;
}

/**
 * Reads the body of an import in a thread with a heap of its own: neither its size nor its shape blocks the event loop or
 * ends the process. The next chunk of rows is read when the one before is stored.
 * @param timeoutMs limits the time that the thread takes, without that of `store`
 * @throws AppError where the body is refused
 */
export async function readInThread(
  { body, handling }: ImportRequest,
  timeoutMs: number,
  store: (rows: Rows) => Promise<void>,
): Promise<End> {
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const workerData: ReaderInput = { bytes, handling };
  const thread = new Worker(THREAD, { workerData, transferList: [body.buffer], resourceLimits: HEAP_MB });
  const failed = once(thread, 'exit').then(([code]) => {
    throw new Error(`the thread that reads an import has ended with ${code}`);
  });
  failed.catch(() => undefined);
  let remainingMs = timeoutMs;
  try {
    for (;;) {
      const startedAt = performance.now();
      const received = Promise.race([once(thread, 'message'), failed]);
      const [message] = (await within(remainingMs, received, tooSlow)) as [ReaderMessage];
      remainingMs -= performance.now() - startedAt;
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

const tooSlow = () =>
  new AppError('payload_too_large', 'The import takes too long to be read. Send fewer rows at a time.');

const tooComplex = (cause: unknown) =>
  new AppError('payload_too_large', 'The import is too complex to be read. Send fewer rows at a time.', { cause });
