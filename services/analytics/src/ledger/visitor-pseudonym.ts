import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Returns a pseudonym for one UTC day: it cannot be traced back to a visitor without the salt of the day.
 * @returns null when the salt is destroyed or the address is missing (as in a replayed message)
 */
export function visitorPseudonym(salt: KeyObject | null, address: string, userAgent: string): string | null {
  if (!salt || address === '') return null;
  return createHmac('sha256', salt).update(`${address}\n${userAgent}`).digest('base64url').slice(0, VISITOR_LENGTH);
}

/** 132 bits make collisions negligible. */
const VISITOR_LENGTH = 22;
