import type { Event } from '@waymark/shared/contract/event';
import { DOMAIN_EVENTS, domainDeleted, type DomainSnapshot } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import type { ResourceContext } from '../context.js';
import type { Removal } from './removal-store.js';

/**
 * Keeps the copy of the domains in step with their owner. That links are to leave a deleted one is only noted: nobody
 * else's domains wait for it.
 */
export function followDomains(parts: ConsumerParts, ctx: ResourceContext, startLeaving: () => void): void {
  new Consumer(parts, {
    queue: 'resource.domains',
    events: DOMAIN_EVENTS,
    handle: async (events) => {
      for (const event of events) {
        const isDeleted = event.type === domainDeleted.type;
        await ctx.domains.put(event.workspace!, event.data.domain, isDeleted);
        // From here on no link comes to it any more.
        if (!isDeleted) continue;
        await ctx.removals.add(removalOf(event));
        startLeaving();
      }
    },
  });
}

function removalOf({ workspace, actor, ip_address, request_id, traceparent, data }: Event<{ domain: DomainSnapshot }>) {
  const { id: _id, hostname } = data.domain;
  const event = { workspace: workspace!, actor, ipAddress: ip_address, requestId: request_id, traceparent };
  return { _id, workspace: workspace!, hostname, event } satisfies Partial<Removal>;
}
