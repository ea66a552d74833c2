import type { ErrorCode, ErrorDetails } from '@waymark/shared/kernel/errors';
import type { Handling } from '@waymark/shared/kernel/http/handling';
import type { ImportOptions } from './start-import.js';

/** What the thread that reads an import is given. */
export interface ReaderInput {
  bytes: Uint8Array<ArrayBuffer>;
  handling: Handling;
}

/** What the thread that reads an import sends; after each `rows` it waits for a word to go on. */
export type ReaderMessage =
  | { kind: 'rows'; from: number; text: string }
  | { kind: 'end'; totalRows: number; options: ImportOptions }
  | { kind: 'refused'; code: ErrorCode; message: string; details?: ErrorDetails };
