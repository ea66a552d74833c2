import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '@waymark/shared/kernel/errors';
import { ROWS_PER_CHUNK } from './import-job.js';
import { readBody } from './read-body.js';
import type { ImportRow } from './read-row.js';
import type { ReaderInput, ReaderMessage } from './reader-messages.js';

const port = parentPort!;
const send = (message: ReaderMessage) => port.postMessage(message);

/** Reads one import (see `readInThread`), a chunk of rows after the other. */
async function read(): Promise<void> {
  const { bytes, handling } = workerData as ReaderInput;
  const { buffer, byteOffset, byteLength } = bytes;
  const { options, rows } = readBody(Buffer.from(buffer, byteOffset, byteLength), handling);
  let from = 0;
  let chunk: ImportRow[] = [];
  const sendChunk = async () => {
    const goOn = once(port, 'message');
    send({ kind: 'rows', from, text: JSON.stringify(chunk) });
    from += chunk.length;
    chunk = [];
    await goOn;
  };
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length === ROWS_PER_CHUNK) await sendChunk();
  }
  if (chunk.length > 0) await sendChunk();
  send({ kind: 'end', totalRows: from, options });
}

read().catch((error: unknown) => {
  if (!(error instanceof AppError)) throw error;
  const { code, message, details } = error;
  send({ kind: 'refused', code, message, details });
});
