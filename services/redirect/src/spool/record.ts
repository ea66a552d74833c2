import { crc32 } from 'node:zlib';

/** One line of a segment: `<crc32 of the JSON, 8 hex digits> <JSON>\n`. */
export const encodeRecord = (json: string): string => `${checksum(json)} ${json}\n`;

const CHECKSUM_BYTES = 8;
/** Where the JSON begins in a line. */
export const JSON_AT = CHECKSUM_BYTES + 1;

/** True for a line, without its line break, that is whole and unchanged. */
export function isIntact(chunk: Buffer, start: number, end: number): boolean {
  if (end - start <= JSON_AT) return false;
  const expected = chunk.toString('latin1', start, start + CHECKSUM_BYTES);
  return checksum(chunk.subarray(start + JSON_AT, end)) === expected;
}

const checksum = (json: string | Buffer): string => crc32(json).toString(16).padStart(CHECKSUM_BYTES, '0');
