import { gzipSync } from 'node:zlib';

/** About 1 MB of JSON that compresses to about 1 kB. */
export const zerosBomb = gzipSync(`{"email":"a","password":"b","junk":[${'0,'.repeat(520_000)}0]}`, { level: 9 });

/** About 10 MB of JSON that compresses to about 10 kB: an import whose rows are numbers. */
export const importBomb = gzipSync(`{"links":[${'1,'.repeat(5_200_000)}1]}`, { level: 9 });

/** Objects inside objects, far deeper than any field. */
export const deepJson = `{"email":${'{"a":'.repeat(1500)}1${'}'.repeat(1500)}}`;

/** Lone surrogates at the depth that validation accepts. */
export const surrogates = gzipSync(
  `{"email":"a","junk":${'['.repeat(60)}${'"\\ud800",'.repeat(80_000)}0${']'.repeat(60)}}`,
  { level: 9 },
);

/** As many unknown names as fit into 60 kB. */
export const wideJson = `{${Array.from({ length: 5000 }, (_, index) => `"k${index}":1`).join(',')},"password":1}`;

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
