import type { EventContext } from '@waymark/contract/event';
import { domainCheckRequested } from '@waymark/contract/events';
import { changeDomain, type ChangeContext } from './change-domain.js';
import { holdsHostname, type Domain } from './domain.js';

export const CHECK_INTERVAL_MS = 5000;

export interface RequestCheckContext extends ChangeContext {
  /** The minimum time between two look-ups of one domain. */
  checkIntervalMs: number;
}

/**
 * Schedules a check for now, or for a few seconds after the last one began, so that clients cannot flood name servers.
 * Restarts the verification of a domain that is not verified; a verified one keeps its misses.
 */
export function requestCheck(
  ctx: RequestCheckContext,
  event: EventContext,
  { workspace, id }: { workspace: string; id: string },
): Promise<Domain> {
  const schedule = async (before: Domain): Promise<Domain> => {
    const now = await ctx.db.now();
    const notBefore = (before.lookedUpAt?.getTime() ?? 0) + ctx.checkIntervalMs;
    // A running check may have queried too early; the new number makes it outdated, unless the domain is held.
    const requested: Domain = {
      ...before,
      nextCheckAt: new Date(Math.max(now.getTime(), notBefore)),
      checkNo: before.checkNo + 1,
    };
    if (holdsHostname(before)) return requested;
    const status = before.status === 'failed' ? 'pending' : before.status;
    return { ...requested, status, statusSince: now, checks: 0, misses: 0 };
  };
  return changeDomain(ctx, { workspace, id, event, requestEvent: domainCheckRequested }, schedule);
}
