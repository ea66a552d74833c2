import { DOMAIN_EVENTS, domainDeleted } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import type { ResourceContext } from '../context.js';
import { leaveDomain } from './leave-domain.js';

/** Keeps the copy of the domains in step with their owner, and moves the links of a deleted one. */
export function followDomains(parts: ConsumerParts, ctx: ResourceContext): void {
  new Consumer(parts, {
    queue: 'resource.domains',
    events: DOMAIN_EVENTS,
    handle: async (events) => {
      for (const event of events) {
        const isDeleted = event.type === domainDeleted.type;
        await ctx.domains.put(event.workspace!, event.data.domain, isDeleted);
        // Not acknowledged before the last one has moved: after a kill the rest is moved by whoever gets it again.
        if (isDeleted) await leaveDomain(ctx, event);
      }
    },
  });
}
