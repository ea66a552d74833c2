/**
 * What is kept of a user agent, to classify its scan again: each number or version becomes 0. Versions tell visitors apart and bots
 * not, and an address that a client may send in it is gone.
 */
export const agentFamily = (userAgent: string): string =>
  userAgent.replace(HEXADECIMAL, (part) => (part.split(':').length > 2 ? '0' : part)).replace(NUMBERS, '0');

/** With two colons or more it may be an IPv6 address. */
const HEXADECIMAL = /[0-9a-f:.]+/gi;
const NUMBERS = /\d+(?:[._]\d+)*/g;
