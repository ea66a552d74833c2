import { isIP } from 'node:net';
import { AddressPolicy } from './address-policy.js';

const PUBLIC = new AddressPolicy([]);

/**
 * Returns whether the host of a parsed URL is private by its spelling: an address that is not public unicast, `localhost`
 * or a name below it, or a name without a dot. Names are not resolved: those of an intranet are accepted.
 */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(name) !== 0) return !PUBLIC.allowsAddress(name);
  return !name.includes('.') || name.endsWith('.localhost');
}
