import { randomInt } from 'node:crypto';

/** Without 0 o O, 1 l I i: a code can be read aloud and typed. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 9;

/**
 * Returns one of 31^9 (2.6e13) codes: too many to guess (docs/decisions/0027-length-of-generated-codes.md). The caller
 * retries when the code is taken.
 */
export function newShortCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
