import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import type { Deployment } from '@waymark/contract/deployments';
import type { Event } from '@waymark/contract/event';
import { DOMAIN_EVENTS, EVENTS, scanLogged, type DomainSnapshot, type LinkSnapshot } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { isServing } from '@waymark/contract/domains';
import { findDomain, resolveHost } from '@waymark/contract/requests';
import type { Role } from '@waymark/contract/roles';
import { Broker } from '@waymark/kernel/broker/connection';
import { startConsumer } from '@waymark/kernel/broker/consumer';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { serveRequests, openRequester } from '@waymark/kernel/broker/requests';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { freshBacking } from '@waymark/testing/backing';
import { secretKey } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { publishEvent } from '@waymark/testing/publish-event';
import { ServiceCaller, type ServiceAnswer } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startResource } from '@waymark/resource/app';
import { resourceConfig } from '@waymark/resource/config';

export interface CallOptions {
  body?: unknown;
  workspace?: string;
  role?: Role;
  /** The limit of active links; unlimited by default. */
  activeLinks?: number | null;
  headers?: Record<string, string>;
  unversioned?: boolean;
  anonymous?: boolean;
  /** Disconnects the client. */
  signal?: AbortSignal;
  /** The process to call. */
  process?: number;
}

/** The domain service does not answer for this hostname. */
export const SILENT = 'silent.example.com';

/** The events that the resource service emits. */
const OWN_EVENTS = Object.values(EVENTS).filter(({ type }) =>
  /^(link|qr_code|folder|tag|utm_template|destination)\./.test(type),
);

/** Processes of the service on one database and namespace, with stand-ins for the other services. */
export class Stack {
  readonly backing = freshBacking();
  /** All received events, in the order of their arrival. */
  readonly told: Event<any>[] = [];
  /** The answers of the domain service, by id. */
  readonly domains = new Map<string, { workspace: string; domain: DomainSnapshot }>();
  /** Ids in the requests to the domain service. */
  readonly asked: string[] = [];
  private readonly log = createLog('test', 'fatal');
  private readonly beside = new Lifecycle(this.log);
  private readonly broker = new Broker(
    { url: this.backing.AMQP_URL, namespace: this.backing.AMQP_NAMESPACE, name: 'test' },
    { log: this.log, lifecycle: this.beside },
  );
  readonly publisher = openPublisher(this.broker);
  readonly requester = openRequester(this.broker);
  private readonly processes: { lifecycle: Lifecycle; server: Server }[] = [];
  private readonly callers: ServiceCaller[] = [];
  private readonly key = secretKey();
  database!: Connection;

  private constructor(
    readonly deployment: Deployment,
    private readonly processCount: number,
    private readonly settings: Record<string, string>,
  ) {
    this.callers = Array.from(
      { length: processCount },
      (_, index) => new ServiceCaller('resource', () => urlOf(this.processes[index]!.server), this.key),
    );
  }

  static async start(
    deployment: Deployment = 'links',
    processes = 1,
    settings: Record<string, string> = {},
  ): Promise<Stack> {
    const stack = new Stack(deployment, processes, settings);
    await stack.open();
    return stack;
  }

  private async open(): Promise<void> {
    this.listen();
    this.database = await mongoose.createConnection(this.backing.MONGODB_URI).asPromise();
    this.broker.start();
    await waitFor('the broker', () => this.broker.isUp);
    for (let index = 0; index < this.processCount; index += 1) await this.startProcess();
  }

  async stopProcess(index: number): Promise<void> {
    await this.processes[index]!.lifecycle.stop();
    this.processes.splice(index, 1);
  }

  async startProcess(): Promise<void> {
    const parts = testProcess(resourceConfig, this.env);
    const server = await startResource(parts, { checkAgainMs: 100 });
    this.processes.push({ lifecycle: parts.lifecycle, server });
    const process = this.processes.length - 1;
    await waitFor('the database', async () => (await this.call('GET', this.path, { process })).status === 200);
  }

  /** The environment of a process. */
  get env(): Record<string, string> {
    return {
      ...this.backing,
      DEPLOYMENT: this.deployment,
      IDENTITY_KEY: this.key,
      API_BASE_URL: 'https://api.test',
      SHORT_BASE_URL: 'https://go.test',
      SHORT_HOSTS: 's.test:8443,127.0.0.9:8090',
      ...this.settings,
    };
  }

  private listen(): void {
    const metrics = new Metrics('test');
    const parts = { broker: this.broker, publisher: this.publisher, log: this.log, metrics, lifecycle: this.beside };
    startConsumer(parts, {
      queue: 'test.told',
      events: OWN_EVENTS,
      batchMax: 50,
      handle: (events) => {
        this.told.push(...events);
        return Promise.resolve();
      },
    });
    serveRequests(this.broker, findDomain, ({ workspace, id }) => {
      this.asked.push(id);
      const known = this.domains.get(id);
      if (known?.domain.hostname === SILENT) throw new Error('the owner of the domains is not well');
      return Promise.resolve({ domain: known?.workspace === workspace ? known.domain : null });
    });
    serveRequests(this.broker, resolveHost, ({ hostname }) => {
      if (hostname === SILENT) throw new Error('the owner of the domains is not well');
      const serving = [...this.domains.values()].filter(({ domain }) => isServing(domain.status));
      return Promise.resolve({ owner: serving.find(({ domain }) => domain.hostname === hostname) ?? null });
    });
  }

  async stop(): Promise<void> {
    for (const { lifecycle } of this.processes) await lifecycle.stop();
    await this.beside.stop();
    await this.database.close();
  }

  /** The path of links, or of QR codes. */
  get path(): string {
    return this.deployment === 'links' ? '/links' : '/qr-codes';
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<ServiceAnswer> {
    const { role = 'owner', activeLinks = null, process = 0, ...rest } = options;
    const plan = { name: 'enterprise' as const, activeLinks, customDomains: null, entitlements: [] };
    return this.callers[process]!.call(method, path, { ...rest, access: { role, plan } });
  }

  /** Retries on 503, which many concurrent requests can get: a refused request has changed nothing. */
  async patiently(method: string, path: string, options: CallOptions = {}): Promise<ServiceAnswer> {
    const deadline = Date.now() + 90_000;
    for (;;) {
      const answer = await this.call(method, path, options);
      if (answer.status !== 503 || Date.now() > deadline) return answer;
      expect(answer.headers.get('retry-after')).not.toBeNull();
      await sleep(100);
    }
  }

  /** Sends the body exactly as given. */
  raw(method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<ServiceAnswer> {
    return this.callers[0]!.raw(method, path, { body, headers: { 'content-type': 'application/json', ...headers } });
  }

  /** Creates a link or QR code. @returns it as the API shows it */
  async create(fields: object = {}, options: CallOptions = {}): Promise<any> {
    const body = { destination_url: 'https://example.com/', ...fields };
    const answer = await this.patiently('POST', this.path, { ...options, body });
    if (answer.status !== 201) throw new Error(`not created: ${answer.text}`);
    return answer.body.data;
  }

  async list(query = '', options: CallOptions = {}): Promise<any> {
    const answer = await this.call('GET', `${this.path}?${query}`, options);
    if (answer.status !== 200) throw new Error(`not listed: ${answer.text}`);
    return answer.body;
  }

  /** Publishes a scan, as analytics would. */
  async scan(link: { id: string; short_code: string }, scannedAt = new Date(), id = newId('evt')): Promise<void> {
    const scan = {
      id: newId('scn'),
      link_id: link.id,
      short_code: link.short_code,
      scanned_at: scannedAt.toISOString(),
      trigger: 'link' as const,
      country: 'unknown',
      region: 'unknown',
      city: 'unknown',
      device: 'desktop' as const,
      browser: 'unknown',
      os: 'unknown',
      referrer: 'direct',
      campaign: null,
      is_unique: true,
      is_bot: false,
    };
    const named = { id: link.id, short_code: link.short_code, short_url: '', title: null, campaign_tag: null };
    const data = { scans: [{ workspace: 'acme', scan, link: named }] };
    await this.publish(scanLogged.create({ id, workspace: null }, data));
  }

  /** Publishes a domain event, as the domain service would. */
  async tellDomain(
    type: (typeof DOMAIN_EVENTS)[number]['type'],
    domain: DomainSnapshot,
    workspace = 'acme',
    id?: string,
  ): Promise<void> {
    const definition = DOMAIN_EVENTS.find((event) => event.type === type)!;
    const actor = { type: 'user' as const, id: 'usr_9', name: 'Eve', email: 'eve@example.com', token_id: null };
    await this.publish(definition.create({ id, workspace, actor, requestId: 'req-9' }, { domain }));
  }

  publish(event: Event<unknown>): Promise<void> {
    return publishEvent(this.publisher, event);
  }

  /** Creates a domain that serves, and answers requests for it from now on. */
  async verifiedDomain(hostname: string, workspace = 'acme'): Promise<DomainSnapshot> {
    const domain = domainSnapshot({ hostname });
    this.domains.set(domain.id, { workspace, domain });
    await this.tellDomain('domain.verified', domain, workspace);
    await waitFor('the domain', async () => (await this.stored('domains', domain.id)) !== null);
    return domain;
  }

  stored(collection: string, id: string): Promise<any> {
    return this.database.collection<{ _id: string }>(collection).findOne({ _id: id });
  }

  /** Returns the events of this id in the order of their creation, which may differ from that of their arrival. */
  toldOf(id: string): Event<{ link: LinkSnapshot }>[] {
    const published = this.told.filter(({ data }) => (data.link?.id ?? data.id) === id);
    return published.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

export function domainSnapshot(given: Partial<DomainSnapshot> = {}): DomainSnapshot {
  const settings = { root_url: null, not_found_url: null, expired_url: null, indexable: false };
  const files = { apple_app_site_association: null, assetlinks: null };
  return {
    id: newId('dom'),
    revision: 1,
    hostname: 'go.acme.com',
    status: 'verified',
    ...settings,
    ...files,
    ...given,
  };
}

/** Returns the names of the fields that an answer refuses. */
export const refused = ({ body }: { body: any }): string[] => Object.keys(body.error.details).sort();
