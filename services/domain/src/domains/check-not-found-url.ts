import { parseUrl } from '@waymark/shared/contract/url';
import { withoutPort } from '@waymark/shared/kernel/config';
import type { DomainContext } from '../context.js';

/** A visitor who is sent to one of our own hosts may be sent on from there, and so in a circle. */
export async function leadsToUs(
  ctx: Pick<DomainContext, 'domains' | 'ownHosts'>,
  workspace: string,
  notFoundUrl: string,
): Promise<boolean> {
  const hostname = withoutPort(parseUrl(notFoundUrl)?.hostname ?? '');
  return ctx.ownHosts.has(hostname) || ctx.domains.isKnown(hostname, workspace);
}
