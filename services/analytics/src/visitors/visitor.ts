import { createHmac } from 'node:crypto';

/**
 * Who scanned, for one UTC day: without the salt of the day it leads back to nobody.
 * @returns null when the salt is destroyed or the address is not there (as in a replayed message)
 */
export function visitorOf(salt: Buffer | null, address: string, userAgent: string): string | null {
  if (!salt || address === '') return null;
  return createHmac('sha256', salt).update(`${address}\n${userAgent}`).digest('base64url').slice(0, VISITOR_LENGTH);
}

/** 132 bits: no two visitors will ever meet in one. */
const VISITOR_LENGTH = 22;
