import type { Server } from 'node:http';
import { connect } from 'amqplib';
import mongoose, { type Connection } from 'mongoose';
import type { AuditChanges, Event } from '@waymark/contract/event';
import { folderCreated, folderDeleted } from '@waymark/contract/events';
import type { Actor } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import type { Entitlement } from '@waymark/contract/plans';
import type { Role } from '@waymark/contract/roles';
import { findAuditHead } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { Broker } from '@waymark/kernel/broker/connection';
import { Topology } from '@waymark/kernel/broker/topology';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { publishEvent } from '@waymark/testing/publish-event';
import { shortenRetries } from '@waymark/testing/shorten-retries';
import { ServiceCaller, type CallOptions, type ServiceAnswer } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startAudit } from '@waymark/audit/app';
import { auditConfig } from '@waymark/audit/config';
import { ADA, AUDIT_KEY } from './open-log.js';

interface AuditHeadAnswer {
  head: { seq: number; hash: string } | null;
  created_at: string | null;
}

interface Asked {
  workspace?: string;
  role?: Role;
  entitlements?: Entitlement[];
}

/** The audit service with its own database and namespace, and a publisher that stands in for all other services. */
export class AuditService {
  private readonly log = createLog('test', 'silent');
  private readonly backing = freshBacking();
  private readonly caller = new ServiceCaller('audit', () => urlOf(this.server));
  private readonly parts = testProcess(auditConfig, {
    ...this.backing,
    IDENTITY_KEY: this.caller.key,
    API_BASE_URL: 'http://api.test',
    AUDIT_SIGNING_KEY: AUDIT_KEY.privateKey,
  });
  private readonly publishing = new Lifecycle(this.log);
  private readonly broker = new Broker(
    { url: this.backing.AMQP_URL, namespace: this.backing.AMQP_NAMESPACE, name: 'test' },
    { log: this.log, lifecycle: this.publishing },
  );
  private readonly publisher = openPublisher(this.broker);
  /** What auth answers about the ends of logs. */
  readonly keptHeads = new Map<string, AuditHeadAnswer>();
  private server!: Server;
  database!: Connection;

  static async start(): Promise<AuditService> {
    const service = new AuditService();
    await shortenRetries(service.backing, 'audit.entries');
    service.server = await startAudit(service.parts);
    service.database = await mongoose.createConnection(service.mongoUri).asPromise();
    serveRequests(service.broker, findAuditHead, ({ workspace }) =>
      Promise.resolve(service.keptHeads.get(workspace) ?? { head: null, created_at: null }),
    );
    service.broker.start();
    await waitFor('the database', async () => (await service.get('')).status === 200);
    // Messages are unroutable until the service has declared its queue.
    await service.publish(folderEvent('warm-up'));
    return service;
  }

  async stop(): Promise<void> {
    await this.parts.lifecycle.stop();
    await this.publishing.stop();
    await this.database.close();
  }

  /** Returns the numbers of messages that are ready in the work queue and in its retry queue. */
  async queueLengths(): Promise<number[]> {
    const { AMQP_URL, AMQP_NAMESPACE } = this.backing;
    const topology = new Topology(AMQP_NAMESPACE);
    const connection = await connect(AMQP_URL);
    try {
      const channel = await connection.createChannel();
      const queues = [topology.queue('audit.entries'), topology.retry('audit.entries')];
      return await Promise.all(queues.map(async (queue) => (await channel.checkQueue(queue)).messageCount));
    } finally {
      await connection.close();
    }
  }

  get mongoUri(): string {
    return this.backing.MONGODB_URI;
  }

  get url(): string {
    return urlOf(this.server);
  }

  async publish(...events: Event[]): Promise<void> {
    for (const event of events) await publishEvent(this.publisher, event);
  }

  /** Requests a path below the workspace's audit log, by default as Ada, who has every permission. */
  get(path: string, asked: Asked = {}): Promise<ServiceAnswer> {
    return this.caller.call('GET', `/audit-logs${path}`, callOptions(asked));
  }

  /** Returns the same request as URL and headers, for a custom client. */
  addressed(path: string, asked: Asked = {}): { url: string; headers: Record<string, string> } {
    return this.caller.addressed(`/audit-logs${path}`, callOptions(asked));
  }

  /** Waits until the list has this many entries; returns the ids of their events. */
  listed(count: number, workspace: string, query = ''): Promise<string[]> {
    return waitFor(`${count} entries of ${workspace}${query}`, async () => {
      const { body } = await this.get(query, { workspace });
      return body.data.length === count && body.data.map(({ id }: { id: string }) => id.replace('aud_', 'evt_'));
    });
  }
}

function callOptions({ workspace, role = 'owner', entitlements = ['audit_logs.export'] }: Asked): CallOptions {
  const plan = { name: 'enterprise' as const, activeLinks: null, customDomains: null, entitlements };
  return { workspace, actor: ADA, access: { role, abilities: ['read'], plan } };
}

interface EventOptions {
  actor?: Actor;
  at?: string;
  isDeletion?: boolean;
  label?: string;
  changes?: AuditChanges;
}

/** An event as a service publishes it after a user has created or deleted a folder. */
export function folderEvent(workspace: string, options: EventOptions = {}): Event {
  const id = newId('fld');
  const context = { workspace, actor: options.actor ?? ADA, ipAddress: '203.0.113.7', requestId: 'req-1' };
  const audit = {
    target: { type: 'folder', id, label: options.label ?? 'Spring' },
    changes: options.changes ?? { 'utm.$source': { from: null, to: { $set: 'a' } } },
  };
  const event = (options.isDeletion ? folderDeleted : folderCreated).create(context, { id, name: 'Spring' }, audit);
  return options.at ? { ...event, occurred_at: options.at } : event;
}
