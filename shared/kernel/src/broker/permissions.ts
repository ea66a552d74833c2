import { BROKER_SERVICES, type BrokerService } from '@waymark/contract/broker-services';
import { LIVE_TYPES, REQUESTERS, typesPublishedBy, WORK_QUEUES } from '@waymark/contract/queues';
import { Topology } from './topology.js';

export interface ResourcePermissions {
  configure: string;
  write: string;
  read: string;
}

export interface TopicPermissions {
  exchange: string;
  write: string;
  read: string;
}

export interface UserPermissions {
  permissions: ResourcePermissions;
  topicPermissions: TopicPermissions[];
}

const NOTHING = '^$';

/**
 * Returns the rights of a service's broker user: publish its own events, consume its own queues, move messages to their
 * companions, ask and answer its own questions. It declares nothing that outlives its connection: the operator imports
 * the definitions.
 */
export function permissionsOf(namespace: string, service: BrokerService): UserPermissions {
  const topology = new Topology(namespace);
  const published = typesPublishedBy(service);
  const live = LIVE_TYPES[service] ?? [];
  const consumes = WORK_QUEUES.some((name) => name.startsWith(`${service}.`));
  const peers = Object.keys(REQUESTERS).filter((name) => REQUESTERS[name]!.includes(service));
  const answered = Object.keys(REQUESTERS).filter((name) => name.startsWith(`${service}.`));
  const askers = BROKER_SERVICES.filter((asker) => answered.some((name) => REQUESTERS[name]!.includes(asker)));

  const ownQueues = literal(topology.queue(service)) + '\\..*';
  const marker = literal(topology.queue('topology')) + '\\..*';
  const passing = literal(topology.queue(service)) + '\\.(answers|live)\\..*';
  const writes = [
    ...(published.length > 0 ? [topology.events] : []),
    ...(consumes ? [topology.queues] : []),
    ...(peers.length > 0 ? [topology.questions] : []),
    ...(askers.length > 0 ? [topology.answers] : []),
  ];
  const binds = [...(live.length > 0 ? [topology.events] : []), ...(peers.length > 0 ? [topology.answers] : [])];
  return {
    permissions: {
      configure: anyOf([passing]),
      write: anyOf([passing, ...writes.map(literal)]),
      read: anyOf([ownQueues, marker, ...binds.map(literal)]),
    },
    topicPermissions: [
      { exchange: topology.events, write: anyOf(published.map(literal)), read: anyOf(live.map(literal)) },
      {
        exchange: topology.queues,
        write: consumes ? anyOf([`${service}\\.[a-z_]+\\.(retry|parked)`]) : NOTHING,
        read: NOTHING,
      },
      { exchange: topology.questions, write: anyOf(peers.map(literal)), read: NOTHING },
      {
        exchange: topology.answers,
        write: anyOf(askers.map((asker) => `${asker}\\.answers\\..*`)),
        read: peers.length > 0 ? anyOf([`${service}\\.answers\\..*`]) : NOTHING,
      },
    ],
  };
}

/** The operator lists parked messages, and puts them back into their work queues. */
export function operatorPermissions(namespace: string): UserPermissions {
  const topology = new Topology(namespace);
  return {
    permissions: {
      configure: NOTHING,
      write: anyOf([literal(topology.queues)]),
      read: anyOf([`${literal(namespace)}\\..*\\.parked`]),
    },
    topicPermissions: [{ exchange: topology.queues, write: anyOf(WORK_QUEUES.map(literal)), read: NOTHING }],
  };
}

const literal = (text: string): string => text.replaceAll('.', '\\.');
const anyOf = (patterns: readonly string[]): string => (patterns.length > 0 ? `^(${patterns.join('|')})$` : NOTHING);
