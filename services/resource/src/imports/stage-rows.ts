import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { Handling } from '@waymark/kernel/http/handling';
import type { ImportContext } from './context.js';
import { ROWS_PER_CHUNK, type ImportOptions } from './import-job.js';
import { readBody } from './read-body.js';
import type { ImportRow } from './read-row.js';

export interface StagedImport {
  id: string;
  /** By the database's clock. */
  stagedAt: Date;
  totalRows: number;
  options: ImportOptions;
}

interface StagingRequest {
  id: string;
  body: Buffer;
  handling: Handling;
}

type StagingContext = { imports: Pick<ImportContext['imports'], 'now' | 'insertRows' | 'hasImport' | 'removeRows'> };

/**
 * Stores the rows of an import chunk by chunk while it reads them, then starts the import. If the import does not
 * start, this removes its rows; if the process dies before, they expire.
 */
export async function withStagedRows<T>(
  ctx: StagingContext,
  request: StagingRequest,
  start: (staged: StagedImport) => Promise<T>,
): Promise<T> {
  try {
    return await start(await stageRows(ctx, request));
  } finally {
    // The answer to an idempotent repeat does not start this import.
    if (!(await ctx.imports.hasImport(request.id))) await ctx.imports.removeRows(request.id);
  }
}

/** Reads the next chunk of rows once the previous one is stored. */
async function stageRows({ imports }: StagingContext, { id, body, handling }: StagingRequest): Promise<StagedImport> {
  const stagedAt = await imports.now();
  const { options, rows } = readBody(body, handling);
  let totalRows = 0;
  let chunk: ImportRow[] = [];
  const storeChunk = async () => {
    const stored = { importId: id, from: totalRows, rows: JSON.stringify(chunk), createdAt: stagedAt };
    await imports.insertRows(stored);
    totalRows += chunk.length;
    chunk = [];
  };
  for await (const row of yieldingToEventLoop(rows)) {
    chunk.push(row);
    if (chunk.length === ROWS_PER_CHUNK) await storeChunk();
  }
  if (chunk.length > 0) await storeChunk();
  return { id, stagedAt, totalRows, options };
}
