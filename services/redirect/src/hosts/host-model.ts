import { DOMAIN_EVENTS, type DomainSnapshot } from '@waymark/contract/events';
import { resolveHost } from '@waymark/contract/requests';
import type { ReadModelDefinition } from '../read-model/definition.js';
import { hostRecordOf, toHost, toHostRecord, type Host, type HostRecord } from './host.js';

/** The owner of each custom host, by hostname. */
export const hostModel: ReadModelDefinition<HostRecord, Host, string, { domain: DomainSnapshot }> = {
  collection: 'hosts',
  fields: {
    workspace: String,
    rootUrl: String,
    notFoundUrl: String,
    expiredUrl: String,
    isIndexable: Boolean,
    appleAppSiteAssociation: String,
    assetlinks: String,
  },
  queue: 'redirect.domains',
  events: DOMAIN_EVENTS,
  recordOf: hostRecordOf,
  entryOf: toHost,
  keyOf: (hostname) => hostname,
  ask: async (requester, hostname, timeoutMs) => {
    const { owner, is_gone: isGone } = await requester.ask(resolveHost, { hostname }, timeoutMs);
    if (!owner) return isGone ? 'gone' : undefined;
    return toHostRecord(owner.workspace, owner.domain, { changedAt: new Date(), isDeleted: false });
  },
};
