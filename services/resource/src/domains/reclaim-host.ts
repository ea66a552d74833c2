import type { DomainSnapshot } from '@waymark/contract/events';
import type { DetachmentContext } from './context.js';
import { fetchHostOwner } from './domain-requests.js';
import type { Detachment } from './detachment-store.js';

/** Codes read in one step, each far below a kilobyte. */
const CODES_AT_ONCE = 2000;

/**
 * Removes the links of former owners from a host that this workspace has verified; they may have lost it without
 * deleting their domain. Then the new owner can use the codes. A worker finds the former owners in the background: a
 * host may have millions of codes.
 */
export async function startReclaiming(
  ctx: DetachmentContext,
  workspace: string,
  { id, hostname }: DomainSnapshot,
): Promise<void> {
  const [code] = await ctx.codes.findCodesOnHost(hostname, '', 1);
  if (code)
    await ctx.detachments.addDetachment({ _id: id, workspace, hostname, event: { workspace }, isReclaim: true });
}

/**
 * Starts a detachment for every other workspace that has, or had, one of the next codes on the host.
 * @returns the last of these codes, or null if there are no more
 */
export async function reclaimBatch(ctx: DetachmentContext, reclaim: Detachment): Promise<string | null> {
  const { _id: id, workspace, hostname, after } = reclaim;
  const codes = await ctx.codes.findCodesOnHost(hostname, after, CODES_AT_ONCE);
  if ((await fetchHostOwner(ctx, hostname)) !== workspace) return null;
  const others = new Set(codes.map((code) => code.workspace).filter((owner) => owner !== workspace));
  for (const other of others) {
    const event = { workspace: other };
    await ctx.detachments.addDetachment({ _id: `${id}/${other}`, workspace: other, hostname, event, isLost: true });
  }
  return codes.length < CODES_AT_ONCE ? null : codes.at(-1)!.key;
}
