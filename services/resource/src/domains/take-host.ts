import type { DomainSnapshot } from '@waymark/shared/contract/events';
import { resolveHost } from '@waymark/shared/contract/requests';
import type { ResourceContext } from '../context.js';

const ANSWER_TIMEOUT_MS = 2000;

/**
 * A host that has come to this workspace keeps nothing of a former one, which may have lost it without removing its domain:
 * links that are still there are to leave, and then the codes are the new owner's to give. Whose the host is now, the domain
 * service is asked: what was told of it may have been overtaken.
 */
export async function takeHost(
  ctx: ResourceContext,
  workspace: string,
  { id, hostname }: DomainSnapshot,
): Promise<void> {
  const others = await ctx.codes.othersAt(hostname, workspace);
  if (others.length === 0) return;
  const { owner } = await ctx.requester.ask(resolveHost, { hostname }, ANSWER_TIMEOUT_MS);
  if (owner?.workspace !== workspace) return;
  for (const other of others) {
    const event = { workspace: other };
    await ctx.removals.add({ _id: `${id}/${other}`, workspace: other, hostname, event, isLost: true });
  }
}
