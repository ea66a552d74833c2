import type { EventContext } from '@waymark/contract/event';
import { domainCheckRequested } from '@waymark/contract/events';
import type { DomainContext } from '../context.js';
import { changeDomain } from './change-domain.js';
import { isHeld, type Domain } from './domain.js';

/**
 * Schedules a check for now, or for a few seconds after the last one began, so that clients cannot flood name servers.
 * Restarts the verification of a domain that is not verified; a verified one keeps its misses.
 */
export function requestCheck(ctx: DomainContext, event: EventContext, workspace: string, id: string): Promise<Domain> {
  const request = async (before: Domain): Promise<Domain> => {
    const now = await ctx.db.now();
    const intervalMs = ctx.config.CHECK_INTERVAL_SECONDS * 1000;
    const notBefore = (before.lookedUpAt?.getTime() ?? 0) + intervalMs;
    // A running check may have queried too early; the new number makes it outdated, unless the domain is held.
    const asked: Domain = {
      ...before,
      nextCheckAt: new Date(Math.max(now.getTime(), notBefore)),
      checkNo: before.checkNo + 1,
    };
    if (isHeld(before)) return asked;
    const status = before.status === 'failed' ? 'pending' : before.status;
    return { ...asked, status, statusSince: now, checks: 0, misses: 0 };
  };
  return changeDomain(ctx, event, workspace, id, request, domainCheckRequested);
}
