import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

const QUERY_TIMEOUT_MS = 1500;
const QUERIES_MAX = 2;
/** The policy checks every address, and an answer can hold thousands. */
const ADDRESSES_MAX = 100;

export const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Returns a resolver of all addresses of a name. It does not use `dns.lookup`, which blocks one of the four threads
 * that the whole process shares: a few dead name servers would delay every delivery.
 */
export function createResolver(servers: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERIES_MAX });
  if (servers.length > 0) resolver.setServers(servers);

  return async (hostname) => {
    if (isLocalhost(hostname)) return [...LOOPBACK];
    const name = withoutDot(hostname);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error(`${name} has no address`);
    if (found.length > ADDRESSES_MAX) throw new Error(`${name} has more than ${ADDRESSES_MAX} addresses`);
    return found;
  };
}

/** RFC 6761: such names are never queried over the network. */
export function isLocalhost(hostname: string): boolean {
  const name = withoutDot(hostname);
  return name === 'localhost' || name.endsWith('.localhost');
}

const withoutDot = (hostname: string): string => hostname.replace(/\.$/, '').toLowerCase();

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
