import type { ImportContext } from './context.js';
import { readImport, type ImportRequest } from './read-import.js';
import type { ImportOptions } from './import-job.js';

export interface StagedImport {
  id: string;
  /** By the database's clock. */
  stagedAt: Date;
  totalRows: number;
  options: ImportOptions;
}

interface StagingRequest extends ImportRequest {
  id: string;
}

/**
 * Stores the rows of an import chunk by chunk while it reads them, then starts the import. If the import does not
 * start, this removes its rows; if the process dies before, they expire.
 */
export async function withStagedRows<T>(
  ctx: Pick<ImportContext, 'config' | 'imports'>,
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

async function stageRows(
  { config, imports }: Pick<ImportContext, 'config' | 'imports'>,
  { id, ...request }: StagingRequest,
): Promise<StagedImport> {
  const stagedAt = await imports.now();
  const { totalRows, options } = await readImport(request, config.IMPORT_READING_TIMEOUT_MS, ({ from, text }) =>
    imports.insertRows({ importId: id, from, rows: text, createdAt: stagedAt }),
  );
  return { id, stagedAt, totalRows, options };
}
