import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createClient } from '@clickhouse/client';
import { connect, type Channel, type ChannelModel } from 'amqplib';
import mongoose, { type Connection } from 'mongoose';
import type { Deployment } from '@waymark/contract/deployments';
import type { Event } from '@waymark/contract/event';
import {
  analyticsExported,
  CONTENT_EVENTS,
  conversionRecorded,
  HOLDER_DELETIONS,
  scanLogged,
  scanReclassified,
  scanRecorded,
  TAG_NAMINGS,
  type LinkSnapshot,
  type LoggedScan,
  type RawScan,
} from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { PlanName } from '@waymark/contract/plans';
import { findLink, findLinks, findPlan } from '@waymark/contract/requests';
import type { Ability, Role } from '@waymark/contract/roles';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { serveRequests, openRequester, type Requester } from '@waymark/kernel/broker/requests';
import { assertExchanges, assertQueue, Topology, workQueue } from '@waymark/kernel/broker/topology';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { parseKey } from '@waymark/testing/keys';
import { signedRequest } from '@waymark/testing/service-caller';
import { testProcess } from '@waymark/testing/process-parts';
import { publishEvent } from '@waymark/testing/publish-event';
import { ServiceCaller } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startAnalytics } from '@waymark/analytics/app';
import { analyticsConfig } from '@waymark/analytics/config';

export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1';
export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** Every address of the first network has a location in the packaged data (London). */
export const addressOf = (visitor: number) => `81.2.${(visitor >> 8) % 256}.${visitor % 256}`;

export function rawScan(given: Partial<RawScan> = {}): RawScan {
  return {
    id: newId('scn'),
    at: new Date().toISOString(),
    workspace: 'acme',
    link_id: 'lnk_1',
    short_code: 'spring',
    hostname: null,
    title: 'Spring',
    campaign: null,
    trigger: 'link',
    address: addressOf(1),
    user_agent: CHROME,
    accept_language: 'de-AT,de;q=0.9,en;q=0.8',
    referrer: '',
    prefetch: false,
    ...given,
  };
}

export const batchOf = (scans: RawScan[], id?: string) => scanRecorded.create({ id, workspace: null }, { scans });

/** A snapshot as the owner of the links sends it. */
export function linkSnapshot(given: Partial<LinkSnapshot> = {}): LinkSnapshot {
  return {
    id: 'lnk_a',
    revision: 1,
    hostname: null,
    domain_id: null,
    folder_id: null,
    tag_ids: [],
    short_code: 'a',
    short_url: 'https://go.test/a',
    title: null,
    destination_url: 'https://example.com',
    campaign_tag: null,
    utm_defaults: { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
    query_policy: 'append',
    status: 'active',
    created_at: new Date().toISOString(),
    ...given,
  };
}

function namesOf({ id, short_code, former_codes = [] }: LinkSnapshot, by: 'id' | 'short_code'): string[] {
  return by === 'id' ? [id] : [{ short_code }, ...former_codes].map((place) => place.short_code.toLowerCase());
}

const QUEUES = {
  'analytics.scans': [scanRecorded],
  'analytics.links': [...CONTENT_EVENTS, ...HOLDER_DELETIONS, ...TAG_NAMINGS],
} as const;

interface Answer {
  status: number;
  body: any;
}

/** One or more analytics processes with their own database and namespace, a publisher, and a queue for their events. */
export class Harness {
  readonly backing = freshBacking();
  readonly topology = new Topology(this.backing.AMQP_NAMESPACE);
  private readonly lifecycle = new Lifecycle(createLog('test', 'fatal'));
  private readonly apps: Lifecycle[] = [];
  env: Record<string, string> = {};
  publisher!: Publisher;
  private amqp!: ChannelModel;
  private channel!: Channel;
  database!: Connection;
  server!: Server;
  readonly logged: Event<{ scans: LoggedScan[] }>[] = [];
  /** Events that went through the outbox. */
  readonly emitted: Event<any>[] = [];
  /** The owner's answers about links, independent of the events. */
  readonly owned: { workspace: string; link: LinkSnapshot }[] = [];
  isOwnerSilent = false;
  /** Ids and short codes for which the owner never answers. */
  readonly unanswered = new Set<string>();
  /** Auth's answers: the plans of the workspaces; it knows no others. */
  readonly plans: Record<string, PlanName> = {};
  requester!: Requester;
  readonly caller = new ServiceCaller('analytics', () => urlOf(this.server));

  async start(options: { replicas?: number; deployment?: Deployment; geoip?: boolean } = {}): Promise<void> {
    await this.openBroker();
    this.database = await mongoose.createConnection(this.backing.MONGODB_URI).asPromise();
    this.env = {
      ...this.backing,
      DEPLOYMENT: options.deployment ?? 'links',
      IDENTITY_KEY: this.caller.key,
      API_BASE_URL: 'https://api.test',
      SHORT_BASE_URL: 'https://go.test',
      ...(!options.geoip && { GEOIP_CITY_DB_V4: '/nowhere', GEOIP_CITY_DB_V6: '/nowhere' }),
    };
    await this.startApps(options.replicas ?? 1);
  }

  /** Stops every process like a deployment, and starts as many new ones. */
  async restart(): Promise<void> {
    const replicas = this.apps.length;
    for (const app of this.apps.splice(0)) await app.stop();
    await this.startApps(replicas);
  }

  async stop(): Promise<void> {
    for (const app of this.apps) await app.stop();
    await this.lifecycle.stop();
    await this.amqp.close();
    await this.database.close();
  }

  publish(event: Event): Promise<void> {
    return publishEvent(this.publisher, event);
  }

  publishText(type: string, body: string): Promise<void> {
    return this.publisher.publish(type, newId('evt'), body);
  }

  /** Requests as a member of the workspace; `identityWorkspace` is the one in the signed identity. */
  async get(
    path: string,
    options: { workspace?: string; identityWorkspace?: string; role?: Role; abilities?: Ability[] } = {},
  ): Promise<Answer> {
    const workspace = options.workspace ?? 'acme';
    const url = new URL(`${urlOf(this.server)}/api/v1/workspaces/${workspace}/analytics${path}`);
    const response = await fetch(url, {
      headers: {
        [IDENTITY_HEADER]: signIdentity(
          parseKey(this.caller.key),
          {
            actor: { type: 'user', id: 'usr_1', name: 'Ada', email: 'ada@example.com', token_id: null },
            workspace: {
              slug: options.identityWorkspace ?? workspace,
              role: options.role ?? 'owner',
              abilities: options.abilities ?? ['read'],
              plan: { name: 'enterprise', activeLinks: null, customDomains: null, entitlements: [] },
            },
            session_id: null,
            request_id: randomUUID(),
            ip_address: '127.0.0.1',
          },
          { service: 'analytics', request: signedRequest('GET', url) },
        ),
      },
    });
    return { status: response.status, body: await response.json() };
  }

  countScans(): Promise<number> {
    return this.database.collection('scans').countDocuments({});
  }

  async settled(expectedScans: number): Promise<void> {
    await waitFor(`${expectedScans} scans`, async () => (await this.countScans()) === expectedScans);
    await this.counted();
  }

  /** Waits until the warehouse has every stored scan and conversion. */
  async counted(): Promise<void> {
    for (const queue of ['pending_scans', 'pending_conversions']) {
      const rest = () => this.database.collection(queue).countDocuments({});
      await waitFor(`no ${queue}`, async () => (await rest()) === 0);
    }
  }

  /** Runs a statement in the warehouse. */
  async warehouse(query: string): Promise<void> {
    const client = createClient({ url: this.backing.CLICKHOUSE_URL });
    await client.command({ query });
    await client.close();
  }

  /**
   * Once the queue is empty, stops every process, which completes the work in progress; then no message may be left.
   */
  async drained(): Promise<void> {
    const queued = async () => (await this.channel.checkQueue(this.topology.queue('analytics.scans'))).messageCount;
    await waitFor('an empty queue', async () => (await queued()) === 0);
    const replicas = this.apps.length;
    for (const app of this.apps.splice(0)) await app.stop();
    if ((await queued()) > 0) throw new Error(`${await queued()} messages were requeued`);
    await this.startApps(replicas);
  }

  async parked(queue: string): Promise<{ body: string; reason: string }[]> {
    const messages: { body: string; reason: string }[] = [];
    for (;;) {
      const message = await this.channel.get(this.topology.parked(queue), { noAck: true });
      if (!message) return messages;
      const reason = message.properties.headers?.['x-error'] as string;
      messages.push({ body: message.content.toString('utf8'), reason });
    }
  }

  /** Without a bound queue the broker rejects `scan.logged` as unroutable. */
  async listen(listening: boolean): Promise<void> {
    const queue = this.topology.queue('test.logged');
    if (listening) await this.channel.bindQueue(queue, this.topology.events, scanLogged.type);
    else await this.channel.unbindQueue(queue, this.topology.events, scanLogged.type);
  }

  private async startApps(replicas: number): Promise<void> {
    for (let i = 0; i < replicas; i += 1) {
      const parts = testProcess(analyticsConfig, this.env);
      this.apps.push(parts.lifecycle);
      this.server = await startAnalytics(parts);
    }
    await waitFor('a filled warehouse', async () => (await this.get('/summary')).body.meta.data_as_of !== null);
    for (const queue of Object.keys(QUEUES)) {
      await waitFor('the consumers', async () => {
        const { consumerCount } = await this.channel.checkQueue(this.topology.queue(queue));
        return consumerCount === replicas;
      });
    }
  }

  private async collect(name: string, types: string[], into: Event[]): Promise<void> {
    const { queue } = await this.channel.assertQueue(this.topology.queue(name), { exclusive: true });
    for (const type of types) await this.channel.bindQueue(queue, this.topology.events, type);
    await this.channel.consume(queue, (message) => into.push(JSON.parse(message!.content.toString('utf8')) as Event), {
      noAck: true,
    });
  }

  private async openBroker(): Promise<void> {
    const log = createLog('test', 'fatal');
    const broker = new Broker(
      { url: this.backing.AMQP_URL, namespace: this.backing.AMQP_NAMESPACE, name: 'test' },
      { log, lifecycle: this.lifecycle },
    );
    this.publisher = openPublisher(broker);
    serveRequests(broker, findLink, ({ workspace, by, value }) => {
      if (this.isOwnerSilent || this.unanswered.has(value)) return new Promise(() => undefined);
      const name = by === 'id' ? value : value.toLowerCase();
      const found = this.owned.find((each) => each.workspace === workspace && namesOf(each.link, by).includes(name));
      return Promise.resolve({ link: found?.link ?? null });
    });
    serveRequests(broker, findLinks, ({ workspace, ids }) => {
      if (this.isOwnerSilent) return new Promise(() => undefined);
      const found = this.owned.filter((each) => each.workspace === workspace && ids.includes(each.link.id));
      return Promise.resolve({ links: found.map(({ link }) => link) });
    });
    serveRequests(broker, findPlan, ({ workspace }) => Promise.resolve({ plan: this.plans[workspace] ?? null }));
    this.requester = openRequester(broker);
    broker.start();
    await waitFor('the broker', () => this.publisher.isUp);
    this.amqp = await connect(this.backing.AMQP_URL);
    this.channel = await this.amqp.createChannel();
    await assertExchanges(this.channel, this.topology);
    for (const [queue, events] of Object.entries(QUEUES)) {
      const types = events.map((event) => event.type);
      for (const declaration of workQueue(this.topology, queue, { types }))
        await assertQueue(this.channel, declaration);
    }
    await this.collect('test.logged', [scanLogged.type], this.logged);
    await this.collect(
      'test.emitted',
      [conversionRecorded, analyticsExported, scanReclassified].map(({ type }) => type),
      this.emitted,
    );
  }
}
