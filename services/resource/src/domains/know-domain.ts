import { findDomain } from '@waymark/contract/requests';
import type { ResourceContext } from '../context.js';
import { isServing } from './domain-store.js';

const ANSWER_TIMEOUT_MS = 2000;

/**
 * Returns whether this domain can take links. A domain verified a moment ago may be missing here, so this asks the
 * domain service before it refuses.
 */
export async function knowDomain(ctx: ResourceContext, workspace: string, id: string): Promise<boolean> {
  const known = await ctx.domains.byId(workspace, id);
  if (known && (isServing(known) || known.status === 'deleted')) return isServing(known);
  const { domain } = await ctx.requester.ask(findDomain, { workspace, id }, ANSWER_TIMEOUT_MS);
  if (!domain) return false;
  await ctx.domains.put(workspace, domain);
  return isServing(domain);
}
