import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { ROWS_PER_CHUNK } from './import-job.js';
import { readBody } from './read-body.js';
import type { ImportRow } from './read-row.js';
import type { ReaderEnd, ReaderInput, ReaderRows } from './reader-messages.js';

/**
 * Reads one import chunk by chunk: it reads the next chunk of rows once the previous one is stored.
 * @throws AppError if the body is refused
 */
export async function readChunks(
  { bytes, handling }: ReaderInput,
  store: (rows: ReaderRows) => Promise<void>,
): Promise<ReaderEnd> {
  const { options, rows } = readBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), handling);
  let from = 0;
  let chunk: ImportRow[] = [];
  const storeChunk = async () => {
    await store({ kind: 'rows', from, text: JSON.stringify(chunk) });
    from += chunk.length;
    chunk = [];
  };
  for await (const row of yieldingToEventLoop(rows)) {
    chunk.push(row);
    if (chunk.length === ROWS_PER_CHUNK) await storeChunk();
  }
  if (chunk.length > 0) await storeChunk();
  return { kind: 'end', totalRows: from, options };
}
