import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '@waymark/kernel/errors';
import { readChunks } from './read-chunks.js';
import type { ReaderInput, ReaderMessage } from './reader-messages.js';

const port = parentPort!;
const send = (message: ReaderMessage) => port.postMessage(message);

/** Reads one import (see `readImport`) and waits for the storing of each chunk of rows. */
async function read(): Promise<void> {
  const end = await readChunks(workerData as ReaderInput, async (rows) => {
    const goOn = once(port, 'message');
    send(rows);
    await goOn;
  });
  send(end);
}

read().catch((error: unknown) => {
  if (!(error instanceof AppError)) throw error;
  const { code, message, details, problems } = error;
  send({ kind: 'refused', code, message, details, problems });
});
