import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { linkCreated, scanLogged, webhookDisabled, type LoggedScan } from '@waymark/contract/events';
import type { Event } from '@waymark/contract/event';
import { newId } from '@waymark/contract/ids';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { openRequester, type Requester } from '@waymark/kernel/broker/requests';
import { assertExchanges } from '@waymark/kernel/broker/topology';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freePorts } from '@waymark/stack/ports';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { publishEvent } from '@waymark/testing/publish-event';
import { ServiceCaller, type CallOptions } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startWebhook, type WebhookOptions } from '@waymark/webhook/app';
import { webhookConfig } from '@waymark/webhook/config';

/** Loopback is allowed and pauses are short, so that real receivers on this machine see whole schedules. */
const SETTINGS = {
  API_BASE_URL: 'http://api.test',
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_DNS_SERVERS: '127.0.0.1:9',
  WEBHOOK_RETRY_SCHEDULE: '0.1,0.2',
};
const OPTIONS: Partial<WebhookOptions> = { pollMs: 20, timeoutMs: 1500 };

/** One or more processes of the service on one database and broker namespace, and a publisher of events. */
export class Stack {
  readonly backing = freshBacking();
  private readonly caller = new ServiceCaller('webhook', () => urlOf(this.server));
  readonly secretKey = randomBytes(32).toString('base64');
  private readonly services: Lifecycle[] = [];
  private readonly publishing = new Lifecycle(createLog('test', 'silent'));
  private server!: Server;
  private publisher!: Publisher;
  /** The service consumes these events itself. */
  private readonly disabled: any[] = [];
  private isListening = false;
  /** The port for metrics and readiness of the process that the last start or restart began. */
  opsPort!: number;
  requester!: Requester;
  database!: Connection;

  static async start(env: Record<string, string> = {}, options: Partial<WebhookOptions> = {}): Promise<Stack> {
    const stack = new Stack();
    [stack.opsPort] = (await freePorts(1)) as [number];
    stack.server = await stack.addProcess({ OPS_PORT: String(stack.opsPort), ...env }, options);
    stack.database = await mongoose.createConnection(stack.backing.MONGODB_URI).asPromise();
    stack.startPublisher();
    await waitFor('the events', () => stack.isListening);
    await waitFor('the service', async () => (await stack.call('GET', '/webhooks')).status === 200);
    // Unroutable until the service has declared its queue.
    await stack.publish(scanEvent([]));
    return stack;
  }

  /** The environment of a process of this stack. */
  get settings(): Record<string, string> {
    const own = { IDENTITY_KEY: this.caller.key, WEBHOOK_SECRET_KEY: this.secretKey };
    return { ...SETTINGS, ...own, ...this.backing };
  }

  async addProcess(env: Record<string, string> = {}, options: Partial<WebhookOptions> = {}): Promise<Server> {
    const parts = testProcess(webhookConfig, { ...this.settings, ...env });
    this.services.push(parts.lifecycle);
    return startWebhook(parts, { ...OPTIONS, ...options });
  }

  async stop(): Promise<void> {
    for (const lifecycle of [...this.services, this.publishing]) await lifecycle.stop();
    await this.database.close();
  }

  /** Ends every process of the service and starts one with other settings. */
  async restart(env: Record<string, string> = {}, options: Partial<WebhookOptions> = {}): Promise<void> {
    await this.stopServices();
    this.server = await this.addProcess({ OPS_PORT: String(this.opsPort), ...env }, options);
    await waitFor('the service', async () => (await this.call('GET', '/webhooks')).status === 200);
  }

  async stopServices(): Promise<void> {
    for (const lifecycle of this.services.splice(0)) await lifecycle.stop();
  }

  publishLink(workspace: string): Promise<void> {
    return this.publish(linkEvent(workspace));
  }

  publish(event: Event): Promise<void> {
    return publishEvent(this.publisher, event);
  }

  async call(method: string, path: string, body?: unknown, workspace = 'acme', options: CallOptions = {}) {
    return this.caller.call(method, path, { body, workspace, ...options });
  }

  /** Creates an endpoint. @returns its id and signing secret. */
  async subscribe(url: string, workspace: string, eventTypes = ['scan.logged', 'link.created']) {
    const { status, body } = await this.call('POST', '/webhooks', { url, event_types: eventTypes }, workspace);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { id: body.data.id as string, secret: body.meta.signing_secret as string };
  }

  /** Returns the attempt rows of an endpoint, the newest first. */
  async attempts(id: string, workspace: string): Promise<any[]> {
    return (await this.call('GET', `/webhooks/${id}/deliveries?per_page=100`, undefined, workspace)).body.data;
  }

  /** Waits for the newest attempt of an endpoint to have ended, and returns all its rows. */
  async ended(id: string, workspace: string, count = 1): Promise<any[]> {
    return waitFor(`the end of ${count} attempts`, async () => {
      const rows = await this.attempts(id, workspace);
      return rows.length >= count && rows.every(({ status }) => status !== 'pending') && rows;
    });
  }

  /** Waits for the first attempt of an endpoint to have ended, and returns its row. */
  async firstEnded(id: string, workspace: string): Promise<any> {
    return waitFor('the end of the first attempt', async () =>
      (await this.attempts(id, workspace)).find((row) => row.attempt_number === 1 && row.status !== 'pending'),
    );
  }

  /** The events of a type: published ones, and those in the outbox, where they wait if they have no consumer. */
  async emitted(type: string, workspace: string): Promise<any[]> {
    const rows = await this.database.collection('outbox').find({ type }).sort({ createdAt: 1 }).toArray();
    const events = type === webhookDisabled.type ? this.disabled : rows.map(({ body }) => JSON.parse(body));
    return events.filter((event) => event.workspace === workspace);
  }

  async endpoint(id: string, workspace: string): Promise<any> {
    return (await this.call('GET', `/webhooks/${id}`, undefined, workspace)).body.data;
  }

  async findReadiness(): Promise<{ ready: boolean; failing: string[] }> {
    return (await (await fetch(`http://127.0.0.1:${this.opsPort}/readyz`)).json()) as {
      ready: boolean;
      failing: string[];
    };
  }

  async findMetric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.opsPort}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${name}{`));
    return Number(line?.split(' ')[1]);
  }

  private startPublisher(): void {
    const { AMQP_URL, AMQP_NAMESPACE } = this.backing;
    const broker = new Broker(
      { url: AMQP_URL, namespace: AMQP_NAMESPACE, name: 'test' },
      { log: createLog('test', 'silent'), lifecycle: this.publishing },
    );
    this.publisher = openPublisher(broker);
    this.requester = openRequester(broker);
    broker.keepChannel('disabled endpoints', async (channel) => {
      await assertExchanges(channel, broker.topology);
      const { queue } = await channel.assertQueue('', { exclusive: true });
      await channel.bindQueue(queue, broker.topology.events, webhookDisabled.type);
      const collect = (body: Buffer) => this.disabled.push(JSON.parse(body.toString('utf8')));
      await channel.consume(queue, (message) => message && collect(message.content), { noAck: true });
      this.isListening = true;
    });
    broker.start();
  }
}

export function linkEvent(workspace: string, title = 'Spring'): Event {
  const id = newId('lnk');
  const link = {
    id,
    revision: 1,
    hostname: null,
    short_code: id.slice(-7),
    short_url: `http://go.test/${id.slice(-7)}`,
    title,
    destination_url: 'https://example.com/spring',
    campaign_tag: null,
    utm_defaults: { utm_source: 'a', utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
    query_policy: 'append' as const,
    blocked: null,
    status: 'active' as const,
    created_at: new Date().toISOString(),
  };
  return linkCreated.create({ workspace }, { link });
}

export function loggedScan(workspace: string): LoggedScan {
  const link = {
    id: 'lnk_1',
    short_code: 'spring',
    short_url: 'http://go.test/spring',
    title: null,
    campaign_tag: null,
    folder_id: null,
    tags: [],
  };
  return {
    workspace,
    scan: {
      id: newId('scn'),
      link_id: 'lnk_1',
      short_code: 'spring',
      scanned_at: new Date().toISOString(),
      trigger: 'link',
      country: 'DE',
      region: 'unknown',
      city: 'unknown',
      device: 'desktop',
      browser: 'Firefox',
      os: 'Linux',
      language: 'de',
      referrer: 'direct',
      campaign: null,
      is_unique: true,
      is_bot: false,
    },
    link,
  };
}

export function scanEvent(scans: LoggedScan[]): Event {
  return scanLogged.create({ workspace: null }, { scans });
}
