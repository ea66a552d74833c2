import type { AppError } from '@waymark/kernel/errors';
import type { Handling } from '@waymark/kernel/http/handling';
import type { ImportOptions } from './import-job.js';

/** The body of an import as the input of its reader. */
export interface ReaderInput {
  bytes: Uint8Array<ArrayBuffer>;
  handling: Handling;
}

export interface ReaderRows {
  kind: 'rows';
  /** The index of the first row. */
  from: number;
  text: string;
}

export interface ReaderEnd {
  kind: 'end';
  totalRows: number;
  options: ImportOptions;
}

/** The error of an import that cannot be read. */
interface Refusal extends Pick<AppError, 'code' | 'message' | 'details' | 'problems'> {
  kind: 'refused';
}

/** A message from the thread that reads an import; after each `rows` the thread waits for a reply. */
export type ReaderMessage = ReaderRows | ReaderEnd | Refusal;
