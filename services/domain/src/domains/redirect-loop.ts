import type { ClientSession } from 'mongoose';
import { withoutPort } from '@waymark/contract/short-hosts';
import type { DomainStore } from './domain-store.js';
import type { HostnameLocks } from './hostname-locks.js';

export interface ServedHosts {
  domains: DomainStore;
  hostnameLocks: HostnameLocks;
  /** The hosts of this installation. */
  ownHosts: ReadonlySet<string>;
}

/**
 * Returns whether the URL leads to a host that this installation serves, which could cause a redirect loop. Call it in the transaction
 * that sets the URL, and in the one that makes the domain serve.
 */
export async function leadsToServedHost(
  ctx: ServedHosts,
  { hostname, notFoundUrl }: { hostname: string; notFoundUrl: string },
  session: ClientSession,
): Promise<boolean> {
  const target = withoutPort(URL.parse(notFoundUrl)?.hostname ?? '');
  if (target === hostname || ctx.ownHosts.has(target)) return true;
  // Two domains that start to point at each other conflict here: one transaction retries and sees the other.
  await ctx.hostnameLocks.lockHostnames([hostname, target], session);
  return (await ctx.domains.servingDomain(target, session)) !== null;
}
