import type { ErrorCode, ErrorDetails } from '@waymark/shared/kernel/errors';
import type { Handling } from '@waymark/shared/kernel/http/handling';
import type { ImportOptions } from './start-import.js';

/** The body of an import, as its reader takes it. */
export interface ReaderInput {
  bytes: Uint8Array<ArrayBuffer>;
  handling: Handling;
}

export interface ReaderRows {
  kind: 'rows';
  /** Of the first one. */
  from: number;
  text: string;
}

export interface ReaderEnd {
  kind: 'end';
  totalRows: number;
  options: ImportOptions;
}

/** What the thread that reads an import sends; after each `rows` it waits for a word to go on. */
export type ReaderMessage =
  ReaderRows | ReaderEnd | { kind: 'refused'; code: ErrorCode; message: string; details?: ErrorDetails };
