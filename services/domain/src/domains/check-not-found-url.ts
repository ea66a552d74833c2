import type { ClientSession } from 'mongoose';
import { withoutPort } from '@waymark/shared/kernel/config';
import type { DomainContext } from '../context.js';
import type { Domain } from './domain.js';

/**
 * Whether visitors of this domain would be sent to a host that we serve, and so perhaps in a circle: to be asked by the
 * transaction that sets the URL, and by the one that has the domain begin to serve.
 */
export async function leadsToUs(
  ctx: Pick<DomainContext, 'domains' | 'ownHosts'>,
  { hostname }: Domain,
  notFoundUrl: string,
  session: ClientSession,
): Promise<boolean> {
  const target = withoutPort(URL.parse(notFoundUrl)?.hostname ?? '');
  if (target === hostname || ctx.ownHosts.has(target)) return true;
  // Two that come to lead to each other at the same time meet here: one of them begins again, and sees the other.
  await ctx.domains.touch([hostname, target], session);
  return (await ctx.domains.holderOf(target, session)) !== null;
}
