import { parse } from 'tldts';
import type { DomainContext } from '../context.js';

/** Below these nobody can own a name in the public DNS, and nothing of ours asks for one. */
const INTERNAL = ['internal', 'lan', 'home', 'corp', 'intranet', 'private', 'arpa'];

/** Why nobody can have this hostname (as `toHostname` spells it) here, or null. */
export function problemOf(hostname: string, { ownHosts }: Pick<DomainContext, 'ownHosts'>): string | null {
  if (ownHosts.has(hostname)) return 'The hostname is one of our own.';
  const { domain, isSpecialUse } = parse(hostname, { detectSpecialUse: true });
  if (domain === null) return 'The hostname is a public suffix, below which others register their names.';
  const topLevel = hostname.slice(hostname.lastIndexOf('.') + 1);
  const isReserved = isSpecialUse && !/(^|\.)example\.(com|net|org)$/.test(hostname);
  if (isReserved || INTERNAL.includes(topLevel)) return 'The hostname is not a name of the public DNS.';
  return null;
}
