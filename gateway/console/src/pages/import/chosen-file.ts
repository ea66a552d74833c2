import { newRequestKey } from '@waymark/client';
import { signal } from '@preact/signals';
import type { OnDuplicate } from '../../api/imports.js';
import { completeAddresses } from './complete-addresses.js';

/** The most that the server reads; the text is longer as JSON. */
const FILE_BYTES_MAX = 10 * 1024 * 1024;

export interface ChosenFile {
  name: string;
  csv: string;
  onDuplicate: OnDuplicate;
  /** The idempotency keys of the check and of the import: a repeated attempt starts no second one. */
  keys: { check: string; run: string };
}

/** The file that the check of an import has read; only the page has it, and only until it is loaded again. */
export const chosenFile = signal<ChosenFile | undefined>(undefined);

export type Problem = 'tooLarge' | 'unreadable';

export async function chooseFile(file: File, onDuplicate: OnDuplicate): Promise<Problem | undefined> {
  if (file.size > FILE_BYTES_MAX) return 'tooLarge';
  try {
    chosenFile.value = withOption(
      { name: file.name, csv: completeAddresses(decode(await file.arrayBuffer())) },
      onDuplicate,
    );
    return undefined;
  } catch {
    return 'unreadable';
  }
}

/** Another option is another request, with keys of its own. */
export const withOption = (file: Pick<ChosenFile, 'name' | 'csv'>, onDuplicate: OnDuplicate): ChosenFile => ({
  name: file.name,
  csv: file.csv,
  onDuplicate,
  keys: { check: newRequestKey(), run: newRequestKey() },
});

/** Spreadsheets also write UTF-16, which has a mark, and the encoding of Windows, which is never valid UTF-8. */
function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
