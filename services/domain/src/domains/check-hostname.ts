import { parse } from 'tldts';
import type { DomainContext } from '../context.js';

/** Why nobody can have this hostname (as `toHostname` spells it) here, or null. */
export function problemOf(hostname: string, { ownHosts }: Pick<DomainContext, 'ownHosts'>): string | null {
  if (ownHosts.has(hostname)) return 'The hostname is one of our own.';
  const { domain, isIcann, isSpecialUse } = parse(hostname, { detectSpecialUse: true });
  if (domain === null) return 'The hostname is a public suffix, below which others register their names.';
  const isReserved = isSpecialUse && !/(^|\.)example\.(com|net|org)$/.test(hostname);
  // Below what ICANN has not delegated nobody can own a name, and `arpa` is for addresses.
  if (!isIcann || isReserved || hostname.endsWith('.arpa')) return 'The hostname is not a name of the public DNS.';
  return null;
}
