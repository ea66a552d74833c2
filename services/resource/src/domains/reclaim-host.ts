import type { DomainSnapshot } from '@waymark/contract/events';
import type { ResourceContext } from '../context.js';
import { askOwner } from './ask-owner.js';
import type { Removal } from './removal-store.js';

/** Codes read in one step, each far below a kilobyte. */
const CODES_AT_ONCE = 2000;

/**
 * Removes the links of former owners from a host that this workspace has verified; they may have lost it without
 * deleting their domain. Then the new owner can use the codes. A worker finds the former owners in the background: a
 * host may have millions of codes.
 */
export async function startReclaiming(
  ctx: ResourceContext,
  workspace: string,
  { id, hostname }: DomainSnapshot,
): Promise<void> {
  const [code] = await ctx.codes.pageAtHost(hostname, '', 1);
  if (code) await ctx.removals.add({ _id: id, workspace, hostname, event: { workspace }, isReclaim: true });
}

/**
 * Starts a removal for every other workspace that has, or had, one of the next codes on the host.
 * @returns the last of these codes, or null if there are no more
 */
export async function reclaimSome(ctx: ResourceContext, reclaim: Removal): Promise<string | null> {
  const { _id: id, workspace, hostname, after } = reclaim;
  const codes = await ctx.codes.pageAtHost(hostname, after, CODES_AT_ONCE);
  if ((await askOwner(ctx, hostname)) !== workspace) return null;
  const others = new Set(codes.map((code) => code.workspace).filter((holder) => holder !== workspace));
  for (const other of others) {
    const event = { workspace: other };
    await ctx.removals.add({ _id: `${id}/${other}`, workspace: other, hostname, event, isLost: true });
  }
  return codes.length < CODES_AT_ONCE ? null : codes.at(-1)!.key;
}
