import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'wmk_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 238 random bits. */
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * `wmk_` + 40 random + 6 checksum characters, all base62. Secret scanners recognize the fixed prefix; the CRC-32
 * rejects a typo without a query.
 */
export function createPlaintextToken(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

export function isWellFormedToken(plaintext: string): boolean {
  if (!SHAPE.test(plaintext)) return false;
  const body = plaintext.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === plaintext.slice(-CHECKSUM_LENGTH);
}

/** Returns the part that may be shown, so that users can identify their tokens. */
export function visiblePrefix(plaintext: string): string {
  return plaintext.slice(0, PREFIX.length + 4);
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: values above it would favour some characters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62[byte % 62];
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
