import { gzipSync } from 'node:zlib';

/** About 1 MB of JSON that compresses to about 1 kB. */
export const zerosBomb = gzipSync(`{"email":"a","password":"b","junk":[${'0,'.repeat(520_000)}0]}`, { level: 9 });

/** About 10 MB of JSON that compresses to about 10 kB: an import whose rows are numbers. */
export const importBomb = gzipSync(`{"links":[${'1,'.repeat(5_200_000)}1]}`, { level: 9 });

const LONG_QUERY = 'a1=1&'.repeat(400);

/** A destination of almost 2,048 characters, different for each index. */
export const longUrl = (index: number): string => `https://example.com/${index}?${LONG_QUERY}`.slice(0, 2040);

/** Returns a valid import of `rows` rows with long destinations, as JSON. */
export function importOf(rows: number, mark: string): string {
  const links = Array.from({ length: rows }, (_, index) => ({
    destination_url: longUrl(index),
    short_code: `${mark}-${index}`,
  }));
  return JSON.stringify({ links });
}
