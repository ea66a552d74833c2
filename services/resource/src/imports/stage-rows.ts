import type { Handling } from '@waymark/shared/kernel/http/handling';
import type { ResourceContext } from '../context.js';
import type { ImportStore } from './import-store.js';
import { readInThread } from './read-in-thread.js';
import type { ImportOptions } from './start-import.js';

export interface StagedImport {
  id: string;
  /** By the database's clock. */
  stagedAt: Date;
  totalRows: number;
  options: ImportOptions;
}

interface ImportRequest {
  body: Buffer<ArrayBuffer>;
  handling: Handling;
}

/**
 * Stores the rows of an import chunk by chunk while they are read, then starts the import. Rows of an import that does not
 * start are removed; where this process dies before, they expire.
 */
export async function withStagedRows<T>(
  { imports }: Pick<ResourceContext, 'imports'>,
  id: string,
  { body, handling }: ImportRequest,
  start: (staged: StagedImport) => Promise<T>,
): Promise<T> {
  try {
    return await start(await stageRows(imports, id, body, handling));
  } finally {
    // An idempotent repeat is answered without starting this one.
    if (!(await imports.has(id))) await imports.removeRows(id);
  }
}

async function stageRows(
  imports: ImportStore,
  id: string,
  body: Buffer<ArrayBuffer>,
  handling: Handling,
): Promise<StagedImport> {
  const stagedAt = await imports.now();
  const { totalRows, options } = await readInThread(body, handling, ({ from, text }) =>
    imports.insertRows({ importId: id, from, rows: text, createdAt: stagedAt }),
  );
  return { id, stagedAt, totalRows, options };
}
