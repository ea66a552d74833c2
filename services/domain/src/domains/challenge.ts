import { randomInt } from 'node:crypto';

/** RFC 4648 base32 in lower case: nothing that is mistaken for something else when it is copied by hand. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 32;

/** 160 random bits: only somebody who controls the zone can have put this value there. */
export function newChallenge(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A label that no host name can have, below the very name it stands for: neither parent nor wildcard host proves a child. */
export const challengeName = (hostname: string): string => `_waymark-challenge.${hostname}`;
