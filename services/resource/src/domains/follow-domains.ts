import type { Event } from '@waymark/contract/event';
import { DOMAIN_EVENTS, domainDeleted, domainVerified, type DomainSnapshot } from '@waymark/contract/events';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { DetachmentContext } from './context.js';
import type { Detachment } from './detachment-store.js';
import { startReclaiming } from './reclaim-host.js';

type DomainEvent = { domain: DomainSnapshot };

/**
 * Keeps the copy of the domains current. If a domain is deleted or lost to another workspace, the consumer only records
 * that its links must move, so that other domains do not wait.
 */
export function followDomains(runtime: ConsumerContext, ctx: DetachmentContext, notifyWorkers: () => void): void {
  startConsumer(runtime, {
    queue: 'resource.domains',
    events: DOMAIN_EVENTS,
    handle: async (events) => {
      for (const event of events) {
        const isDeleted = event.type === domainDeleted.type;
        await ctx.domains.applySnapshot(event.workspace!, event.data.domain, isDeleted);
        // From here on the domain gets no new links.
        if (isDeleted) await ctx.detachments.addDetachment(detachmentOf(event));
        else if (event.type === domainVerified.type) await startReclaiming(ctx, event.workspace!, event.data.domain);
        else continue;
        notifyWorkers();
      }
    },
  });
}

function detachmentOf({ workspace, actor, ip_address, request_id, traceparent, data }: Event<DomainEvent>) {
  const { id: _id, hostname } = data.domain;
  const event = { workspace: workspace!, actor, ipAddress: ip_address, requestId: request_id, traceparent };
  return { _id, workspace: workspace!, hostname, event } satisfies Partial<Detachment>;
}
