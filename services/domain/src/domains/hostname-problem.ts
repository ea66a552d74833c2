import { parse } from 'tldts';
import { hostnameNotAllowed, type Problem } from '@waymark/contract/problems';

/**
 * @param ownHosts hosts of this installation, which workspaces cannot register
 * @returns why this hostname (as `toHostname` spells it) cannot be registered, or null
 */
export function hostnameProblem(hostname: string, ownHosts: ReadonlySet<string>): Problem | null {
  if (ownHosts.has(hostname)) return hostnameNotAllowed('is one of our own');
  const { domain, isIcann, isSpecialUse } = parse(hostname, { detectSpecialUse: true });
  if (domain === null) return hostnameNotAllowed('is a public suffix, below which others register their names');
  const isReserved = isSpecialUse && !/(^|\.)example\.(com|net|org)$/.test(hostname);
  // Names below a top level that ICANN has not delegated have no owner, and `arpa` is for addresses.
  if (!isIcann || isReserved || hostname.endsWith('.arpa'))
    return hostnameNotAllowed('is not a name of the public DNS');
  return null;
}
