import type { ClientSession } from 'mongoose';
import { withoutPort } from '@waymark/contract/short-hosts';
import type { DomainStore } from './domain-store.js';
import type { Domain } from './domain.js';
import type { HostnameLocks } from './hostname-locks.js';

export interface ServedHosts {
  domains: DomainStore;
  hostnameLocks: HostnameLocks;
  /** The hosts of this installation. */
  ownHosts: ReadonlySet<string>;
}

/** The fields of a domain that lead visitors on. */
export type UrlField = 'rootUrl' | 'notFoundUrl' | 'expiredUrl';
const URL_FIELDS: readonly UrlField[] = ['rootUrl', 'notFoundUrl', 'expiredUrl'];

/**
 * Returns the URLs that lead to a host which this installation serves, which could cause a redirect loop. Call it in the transaction
 * that sets them, and in the one that makes the domain serve.
 */
export async function findLoopingUrls(
  ctx: ServedHosts,
  { hostname, ...urls }: Pick<Domain, 'hostname'> & Partial<Pick<Domain, UrlField>>,
  session: ClientSession,
): Promise<UrlField[]> {
  const isOwn = (target: string) => target === hostname || ctx.ownHosts.has(target);
  const targets = URL_FIELDS.flatMap((field) => (urls[field] ? [{ field, target: hostOf(urls[field]) }] : []));
  const others = targets.filter(({ target }) => !isOwn(target)).map(({ target }) => target);
  // Two domains that start to point at each other conflict here: one transaction retries and sees the other.
  if (others.length > 0) await ctx.hostnameLocks.lockHostnames([hostname, ...others], session);
  const served = new Set<string>();
  for (const target of new Set(others)) if (await ctx.domains.servingDomain(target, session)) served.add(target);
  return targets.filter(({ target }) => isOwn(target) || served.has(target)).map(({ field }) => field);
}

const hostOf = (url: string): string => withoutPort(URL.parse(url)?.hostname ?? '');
