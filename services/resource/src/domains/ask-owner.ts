import { resolveHost } from '@waymark/shared/contract/requests';
import type { ResourceContext } from '../context.js';

const ANSWER_TIMEOUT_MS = 2000;

/** The workspace that has the host now, as the domain service says: what was told of it may have been overtaken. */
export async function askOwner(ctx: ResourceContext, hostname: string): Promise<string | null> {
  const { owner } = await ctx.requester.ask(resolveHost, { hostname }, ANSWER_TIMEOUT_MS);
  return owner && owner.workspace;
}
