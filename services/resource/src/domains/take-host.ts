import type { DomainSnapshot } from '@waymark/shared/contract/events';
import type { ResourceContext } from '../context.js';
import { askOwner } from './ask-owner.js';

/**
 * A host that has come to this workspace keeps nothing of a former one, which may have lost it without removing its domain:
 * links that are still there are to leave, and then the codes are the new owner's to give.
 */
export async function takeHost(
  ctx: ResourceContext,
  workspace: string,
  { id, hostname }: DomainSnapshot,
): Promise<void> {
  const others = await ctx.codes.othersAt(hostname, workspace);
  if (others.length === 0) return;
  if ((await askOwner(ctx, hostname)) !== workspace) return;
  for (const other of others) {
    const event = { workspace: other };
    await ctx.removals.add({ _id: `${id}/${other}`, workspace: other, hostname, event, isLost: true });
  }
}
