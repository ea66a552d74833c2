import { resolveHost } from '@waymark/contract/requests';
import type { ResourceContext } from '../context.js';

const ANSWER_TIMEOUT_MS = 2000;

/** Asks the domain service for the workspace that has the host now: received events may be outdated. */
export async function askOwner(ctx: ResourceContext, hostname: string): Promise<string | null> {
  const { owner } = await ctx.requester.ask(resolveHost, { hostname }, ANSWER_TIMEOUT_MS);
  return owner && owner.workspace;
}
