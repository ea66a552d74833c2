import { isIP } from 'node:net';

/** Removes visitors' IP addresses from a message that is parked (dead-lettered), even if it is malformed. */
export function stripAddresses(body: Buffer): Buffer {
  const text = body.toString('utf8');
  try {
    const stripped: unknown = JSON.parse(text, (key, value: unknown) => (isAddress(key, value) ? '' : value));
    return Buffer.from(JSON.stringify(stripped));
  } catch {
    return Buffer.from(text.replaceAll(IP_ADDRESS, ''));
  }
}

function isAddress(key: string, value: unknown): boolean {
  return key === 'address' || (typeof value === 'string' && isIP(value) !== 0);
}

/** Matches text that looks like an IP address, for messages that are not valid JSON. */
const IP_ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}/gi;
