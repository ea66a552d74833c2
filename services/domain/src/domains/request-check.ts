import type { EventContext } from '@waymark/shared/contract/event';
import { domainCheckRequested } from '@waymark/shared/contract/events';
import type { DomainContext } from '../context.js';
import { changeDomain } from './change-domain.js';
import { isHeld, type Domain } from './domain.js';

/**
 * Makes a check due now, or a few seconds after the last one began: requests must not become a flood for name servers of
 * others. A domain that is not verified starts anew with it; one that is keeps what was
 * seen of its loss.
 */
export function requestCheck(ctx: DomainContext, event: EventContext, workspace: string, id: string): Promise<Domain> {
  const request = async (before: Domain): Promise<Domain> => {
    const now = await ctx.db.now();
    const intervalMs = ctx.config.CHECK_INTERVAL_SECONDS * 1000;
    const notBefore = (before.lookedUpAt?.getTime() ?? 0) + intervalMs;
    // A check that is under way may have asked too early: it finds nothing missing any more, unless the domain is held.
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
