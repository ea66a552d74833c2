import { randomInt } from 'node:crypto';

/** RFC 4648 base32 in lower case: no characters that are easily confused when copied by hand. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 32;

/** 160 random bits: only a person who controls the DNS zone can have published this value. */
export function newChallenge(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/**
 * A label that is invalid in host names, directly below the hostname: neither its parent nor a wildcard record can
 * prove it.
 */
export const challengeName = (hostname: string): string => `_waymark-challenge.${hostname}`;
