import type { ClientSession } from 'mongoose';
import { withoutPort } from '@waymark/contract/short-hosts';
import type { DomainContext } from '../context.js';
import type { Domain } from './domain.js';

/**
 * Returns whether the URL leads to a host that we serve, which could cause a redirect loop. Call it in the transaction
 * that sets the URL, and in the one that makes the domain serve.
 */
export async function leadsToUs(
  ctx: Pick<DomainContext, 'domains' | 'ownHosts'>,
  { hostname }: Domain,
  notFoundUrl: string,
  session: ClientSession,
): Promise<boolean> {
  const target = withoutPort(URL.parse(notFoundUrl)?.hostname ?? '');
  if (target === hostname || ctx.ownHosts.has(target)) return true;
  // Two domains that start to point at each other conflict here: one transaction retries and sees the other.
  await ctx.domains.touch([hostname, target], session);
  return (await ctx.domains.holderOf(target, session)) !== null;
}
