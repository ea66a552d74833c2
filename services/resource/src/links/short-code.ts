import { randomInt } from 'node:crypto';

/** No 0 o O, 1 l I i: a code survives being read aloud and typed. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 7;

/** One of 31^7, about 2.7e10; the caller tries again on the rare one that is taken. */
export function newShortCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
