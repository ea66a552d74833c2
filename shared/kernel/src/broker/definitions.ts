import { BROKER_SERVICES } from '@waymark/contract/broker-services';
import { operatorPermissions, permissionsOf, type UserPermissions } from './permissions.js';
import { policies, type Policy } from './policies.js';
import { installationQueues, Topology } from './topology.js';

/** The input of `rabbitmqctl import_definitions`: topology and limits of one installation, without its users. */
export interface Definitions {
  exchanges: {
    vhost: string;
    name: string;
    type: string;
    durable: true;
    auto_delete: false;
    internal: false;
    arguments: object;
  }[];
  queues: { vhost: string; name: string; durable: true; auto_delete: false; arguments: object }[];
  bindings: {
    vhost: string;
    source: string;
    destination: string;
    destination_type: 'queue';
    routing_key: string;
    arguments: object;
  }[];
  policies: Policy[];
}

export function definitionsOf(vhost: string, namespace: string): Definitions {
  const topology = new Topology(namespace);
  const queues = installationQueues(topology);
  return {
    exchanges: [...topology.exchanges, topology.marker].map((name) => ({
      vhost,
      name,
      type: name === topology.marker ? 'fanout' : topology.typeOf(name),
      durable: true,
      auto_delete: false,
      internal: false,
      arguments: {},
    })),
    queues: queues.map(({ name, arguments: args }) => ({
      vhost,
      name,
      durable: true,
      auto_delete: false,
      arguments: args,
    })),
    bindings: queues.flatMap(({ name, bindings }) =>
      bindings.map(({ exchange, key }) => ({
        vhost,
        source: exchange,
        destination: name,
        destination_type: 'queue' as const,
        routing_key: key,
        arguments: {},
      })),
    ),
    policies: policies(vhost, namespace),
  };
}

/** By the name of the service; `operator` is the person with the command line. */
export function permissionsByUser(namespace: string): Record<string, UserPermissions> {
  return {
    ...Object.fromEntries(BROKER_SERVICES.map((service) => [service, permissionsOf(namespace, service)])),
    operator: operatorPermissions(namespace),
  };
}
