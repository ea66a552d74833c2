import type { BrokerService } from './broker-services.js';
import { ERASURE_ORDERS, ERASURE_REPORTS } from './erasures.js';
import {
  auditAppended,
  AUDITED_TYPES,
  CONTENT_EVENTS,
  conversionRecorded,
  DESTINATION_EVENTS,
  DOMAIN_EVENTS,
  domainDegraded,
  domainFailed,
  domainVerified,
  EVENTS,
  HOLDER_DELETIONS,
  linkImportCompleted,
  scanLogged,
  scanReclassified,
  scanRecorded,
  SUSPENSION_EVENTS,
  TAG_NAMINGS,
  webhookDisabled,
} from './events.js';

export interface WorkQueueDefinition {
  /** Types of the events that the broker routes to it. */
  types: readonly string[];
  /** One consumer at a time handles the messages, in the order of the queue. */
  singleActive?: boolean;
}

const typesOf = (definitions: readonly { type: string }[]): string[] => definitions.map(({ type }) => type);
const content = typesOf(CONTENT_EVENTS);
const destinations = typesOf(DESTINATION_EVENTS);
const domains = typesOf(DOMAIN_EVENTS);
const orders = typesOf(ERASURE_ORDERS);
const suspensions = typesOf(SUSPENSION_EVENTS);

/**
 * Every work queue of an installation, named after the service that consumes it; each has a `.retry` and a `.parked` queue
 * beside it. Every publisher declares all of them, so that no event is confirmed before each of its queues exists.
 */
const DEFINITIONS = {
  'analytics.erasures': { types: orders },
  'analytics.links': { types: [...content, ...typesOf(HOLDER_DELETIONS), ...typesOf(TAG_NAMINGS)] },
  'analytics.scans': { types: [scanRecorded.type] },
  'audit.entries': { types: AUDITED_TYPES, singleActive: true },
  'audit.erasures': { types: orders },
  'auth.audit_heads': { types: [auditAppended.type] },
  'auth.erasures': { types: typesOf(Object.values(ERASURE_REPORTS)) },
  'domain.erasures': { types: orders },
  'redirect.destinations': { types: destinations },
  'redirect.domains': { types: domains },
  'redirect.erasures': { types: orders },
  'redirect.targets': { types: content },
  'redirect.workspaces': { types: suspensions },
  'resource.domains': { types: domains },
  'resource.erasures': { types: orders },
  'resource.scans': { types: typesOf([scanLogged, scanReclassified]) },
  'webhook.erasures': { types: orders },
  'webhook.events': {
    types: [
      scanLogged.type,
      ...content,
      ...typesOf([conversionRecorded, linkImportCompleted]),
      ...typesOf([domainVerified, domainDegraded, domainFailed, webhookDisabled]),
    ],
  },
} satisfies Record<`${BrokerService}.${string}`, WorkQueueDefinition>;

export type WorkQueue = keyof typeof DEFINITIONS;
export const WORK_QUEUE_DEFINITIONS: Readonly<Record<WorkQueue, WorkQueueDefinition>> = DEFINITIONS;
export const WORK_QUEUES = Object.keys(DEFINITIONS) as WorkQueue[];

/** Event types that each replica of a service also receives through a queue of its own, which ends with its connection. */
export const LIVE_TYPES: Readonly<Partial<Record<BrokerService, readonly string[]>>> = {
  redirect: [...content, ...destinations, ...domains, ...suspensions, ...orders],
};

/** The services that ask each question; the first part of its name is the service that answers. */
export const REQUESTERS: Readonly<Record<string, readonly BrokerService[]>> = {
  'resource.resolve_code': ['redirect'],
  'resource.find_destination_blocks': ['redirect'],
  'resource.find_link': ['analytics'],
  'resource.find_links': ['analytics'],
  'domain.find_domain': ['resource'],
  'domain.resolve_host': ['redirect', 'resource'],
  'redirect.explain_visit': ['resource'],
  'auth.find_audit_head': ['audit'],
  'auth.find_plan': ['analytics'],
  'resource.find_usage': ['auth'],
  'domain.find_usage': ['auth'],
  'webhook.find_usage': ['auth'],
};

/** The first part of an event's type decides which service publishes it, but for these. */
const PRODUCERS: Readonly<Record<string, BrokerService>> = {
  [scanRecorded.type]: 'redirect',
  audit_log: 'audit',
  audit: 'audit',
  auth: 'auth',
  redirect: 'redirect',
  analytics: 'analytics',
  scan: 'analytics',
  conversion: 'analytics',
  token: 'auth',
  session: 'auth',
  user: 'auth',
  workspace: 'auth',
  member: 'auth',
  invitation: 'auth',
  webhook: 'webhook',
  domain: 'domain',
};

/** The only service that may publish events of a type. */
export function producerOf(type: string): BrokerService {
  return PRODUCERS[type] ?? PRODUCERS[type.split('.')[0]!] ?? 'resource';
}

export const typesPublishedBy = (service: BrokerService): string[] =>
  Object.keys(EVENTS).filter((type) => producerOf(type) === service);
