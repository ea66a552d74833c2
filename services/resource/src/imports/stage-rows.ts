import type { ResourceContext } from '../context.js';
import { readImport, type ImportRequest } from './read-import.js';
import type { ImportOptions } from './start-import.js';

export interface StagedImport {
  id: string;
  /** By the database's clock. */
  stagedAt: Date;
  totalRows: number;
  options: ImportOptions;
}

/**
 * Stores the rows of an import chunk by chunk while it reads them, then starts the import. If the import does not
 * start, this removes its rows; if the process dies before, they expire.
 */
export async function withStagedRows<T>(
  ctx: Pick<ResourceContext, 'config' | 'imports'>,
  id: string,
  request: ImportRequest,
  start: (staged: StagedImport) => Promise<T>,
): Promise<T> {
  try {
    return await start(await stageRows(ctx, id, request));
  } finally {
    // The answer to an idempotent repeat does not start this import.
    if (!(await ctx.imports.has(id))) await ctx.imports.removeRows(id);
  }
}

async function stageRows(
  { config, imports }: Pick<ResourceContext, 'config' | 'imports'>,
  id: string,
  request: ImportRequest,
): Promise<StagedImport> {
  const stagedAt = await imports.now();
  const { totalRows, options } = await readImport(request, config.IMPORT_READING_TIMEOUT_MS, ({ from, text }) =>
    imports.insertRows({ importId: id, from, rows: text, createdAt: stagedAt }),
  );
  return { id, stagedAt, totalRows, options };
}
