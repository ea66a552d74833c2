import mongoose from 'mongoose';
import type { Server } from 'node:http';
import { envelope } from '@waymark/contract/event';
import { workspaceDeleted } from '@waymark/contract/erasures';
import { DOMAIN_EVENTS, domainCheckRequested, type DomainSnapshot } from '@waymark/contract/events';
import type { Plan } from '@waymark/contract/plans';
import type { Role } from '@waymark/contract/roles';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { openRequester } from '@waymark/kernel/broker/requests';
import { assertExchanges } from '@waymark/kernel/broker/topology';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand } from '@waymark/testing/fail-command';
import { testProcess } from '@waymark/testing/process-parts';
import { NameServer } from '@waymark/testing/name-server';
import { publishEvent } from '@waymark/testing/publish-event';
import { ADA, ServiceCaller, type ServiceAnswer } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startDomain, type DomainOptions } from '@waymark/domain/app';
import { domainConfig } from '@waymark/domain/config';

const SETTINGS = {
  API_BASE_URL: 'http://api.ours.com',
  SHORT_BASE_URL: 'https://go.ours.com',
  SHORT_HOSTS: 's.ours.com:8443',
};
const OPTIONS: Partial<DomainOptions> = { pollMs: 20, checkIntervalMs: 0 };

export interface PublishedEvent {
  type: string;
  workspace: string | null;
  actor: { type: string; id: string | null };
  audit: { target: unknown; changes: Record<string, unknown> } | null;
  domain: DomainSnapshot;
}

export interface CallOptions {
  body?: unknown;
  workspace?: string;
  role?: Role;
  /** The id of the caller. */
  user?: string;
  customDomains?: number;
  headers?: Record<string, string>;
}

/** Processes of the service on one database and broker namespace, with name servers and a consumer of their events. */
export class DomainService {
  readonly backing = freshBacking();
  readonly events: PublishedEvent[] = [];
  readonly checkRequests: PublishedEvent[] = [];
  private readonly log = createLog('test', 'silent');
  private readonly caller = new ServiceCaller('domain', () => urlOf(this.server));
  private readonly listening = new Lifecycle(this.log);
  private readonly broker = new Broker(
    { url: this.backing.AMQP_URL, namespace: this.backing.AMQP_NAMESPACE, name: 'test' },
    { log: this.log, lifecycle: this.listening },
  );
  readonly requester = openRequester(this.broker);
  private readonly publisher = openPublisher(this.broker);
  private readonly processes: Lifecycle[] = [];
  private server!: Server;
  ops!: Server;
  tlsAskServer!: Server;

  private constructor(
    readonly nameServers: NameServer[],
    readonly options: Partial<DomainOptions>,
  ) {}

  static async start(options: Partial<DomainOptions> = {}, nameServers = 1): Promise<DomainService> {
    const started = await Promise.all(Array.from({ length: nameServers }, () => NameServer.start()));
    const service = new DomainService(started, { ...OPTIONS, ...options });
    await service.listen();
    Object.assign(service, await service.addProcess());
    await waitFor('the database', async () => (await service.call('GET', '/domains')).status === 200);
    return service;
  }

  get dns(): NameServer {
    return this.nameServers[0]!;
  }

  /** Environment variables for a process of this service. */
  get settings(): Record<string, string> {
    const own = {
      IDENTITY_KEY: this.caller.key,
      DNS_SERVERS: this.nameServers.map(({ address }) => address).join(','),
      ...this.backing,
    };
    return { ...SETTINGS, ...own };
  }

  addProcess(): Promise<{ server: Server; ops: Server; tlsAskServer: Server }> {
    const parts = testProcess(domainConfig, this.settings);
    this.processes.push(parts.lifecycle);
    return startDomain(parts, this.options);
  }

  async stop(): Promise<void> {
    for (const lifecycle of [...this.processes, this.listening]) await lifecycle.stop();
    for (const server of this.nameServers) await server.stop();
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<ServiceAnswer> {
    const { role = 'owner', user = ADA.id, customDomains, ...rest } = options;
    const plan: Plan = {
      name: 'enterprise',
      activeLinks: null,
      customDomains: customDomains ?? null,
      entitlements: [],
    };
    return this.caller.call(method, path, { ...rest, actor: { ...ADA, id: user }, access: { role, plan } });
  }

  /** Sends the body exactly as given. */
  raw(method: string, path: string, body: string, type: string): Promise<ServiceAnswer> {
    return this.caller.raw(method, path, { body, headers: { 'content-type': type } });
  }

  register(hostname: unknown, options: CallOptions = {}): Promise<ServiceAnswer> {
    return this.call('POST', '/domains', { ...options, body: { hostname } });
  }

  async statusOf(id: string, workspace = 'acme'): Promise<string> {
    return (await this.call('GET', `/domains/${id}`, { workspace })).body.data.status as string;
  }

  async waitForStatus(status: string, id: string, workspace = 'acme'): Promise<void> {
    await waitFor(`${id} to be ${status}`, async () => (await this.statusOf(id, workspace)) === status);
  }

  /** Makes every query of the domains take this long, until it is called with 0. */
  async delayQueries(blockTimeMS: number): Promise<void> {
    const db = await mongoose.createConnection(this.backing.MONGODB_URI).asPromise();
    const data = { failCommands: ['find'], blockConnection: true, blockTimeMS };
    await failCommand(db.collection('domains'), blockTimeMS === 0 ? 'off' : { times: 1_000_000 }, data);
    await db.close();
  }

  /** Tells the service, as auth does, that a workspace was deleted. */
  async deleteWorkspace(slug: string): Promise<void> {
    await publishEvent(this.publisher, workspaceDeleted.create({ workspace: slug }, { slug }));
  }

  /** The status that a TLS terminator gets. */
  async tlsAsk(query: string): Promise<number> {
    return (await fetch(`${urlOf(this.tlsAskServer)}/internal/tls-ask${query}`)).status;
  }

  /** The events of a domain, in the order of its revisions. */
  eventsOf(id: string): PublishedEvent[] {
    return this.events.filter(({ domain }) => domain.id === id).sort((a, b) => a.domain.revision - b.domain.revision);
  }

  /** Waits for this many events and returns their types. */
  async eventTypesOf(id: string, count: number): Promise<string[]> {
    await waitFor(`${count} events`, () => this.eventsOf(id).length >= count);
    return this.eventsOf(id).map(({ type }) => type);
  }

  private async listen(): Promise<void> {
    this.broker.keepChannel('events', async (channel) => {
      await assertExchanges(channel, this.broker.topology);
      const { queue } = await channel.assertQueue('', { exclusive: true });
      for (const { type } of [...DOMAIN_EVENTS, domainCheckRequested])
        await channel.bindQueue(queue, this.broker.topology.events, type);
      await channel.consume(queue, (message) => message && this.collectEvent(message.content), { noAck: true });
    });
    this.broker.start();
    await waitFor('the broker', () => this.broker.isUp);
  }

  private collectEvent(body: Buffer): void {
    const { type, workspace, actor, audit, data } = envelope.parse(JSON.parse(body.toString('utf8')));
    const isRequest = type === domainCheckRequested.type;
    const definition = isRequest ? domainCheckRequested : DOMAIN_EVENTS.find((each) => each.type === type)!;
    const events = isRequest ? this.checkRequests : this.events;
    events.push({ type, workspace, actor, audit, domain: definition.schema.parse(data).domain });
  }
}
