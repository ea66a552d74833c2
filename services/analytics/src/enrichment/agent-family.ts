/**
 * Returns the stored form of a user agent, for later reclassification of its scan: replaces each number and version
 * with 0. Versions help to identify visitors but not bots, and the header may contain an IP address.
 */
export const agentFamily = (userAgent: string): string =>
  userAgent.replace(HEXADECIMAL, (part) => (part.split(':').length > 2 ? '0' : part)).replace(NUMBERS, '0');

/** A part with two or more colons may be an IPv6 address. */
const HEXADECIMAL = /[0-9a-f:.]+/gi;
const NUMBERS = /\d+(?:[._]\d+)*/g;
