import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { envelope, type Event, type EventDefinition } from '@waymark/contract/event';
import { scanRecorded, type DomainSnapshot, type LinkSnapshot, type RawScan } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { assertExchanges } from '@waymark/kernel/broker/topology';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { publishEvent } from '@waymark/testing/publish-event';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { start } from '../src/app.js';
import { redirectConfig } from '../src/config.js';
import { RecordStore } from '../src/read-model/record-store.js';
import type { TargetRecord } from '../src/targets/target-record.js';
import { targetModel } from '../src/targets/target-model.js';

export const WORKSPACE = 'acme';
export const log = createLog('test', 'silent');

/** A port where no server listens. */
export const NO_BROKER = 'amqp://127.0.0.1:1';
export const NO_DATABASE = 'mongodb://127.0.0.1:1/none';

export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'waymark-redirect-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The records of links in a database of their own. */
export async function startTargetStore() {
  const lifecycle = new Lifecycle(log);
  const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
  const store: RecordStore<TargetRecord> = new RecordStore(db, targetModel);
  await db.start();
  return { lifecycle, db, store };
}

let linkNumber = 0;

/** A link with a code of its own. */
export function sampleLink(over: Partial<LinkSnapshot> = {}): LinkSnapshot {
  linkNumber += 1;
  const shortCode = `Code${linkNumber}`;
  return {
    id: newId('lnk'),
    revision: 1,
    hostname: null,
    short_code: shortCode,
    short_url: `https://go.acme.com/${shortCode}`,
    title: 'A "title" – ü',
    destination_url: 'https://acme.com/spring',
    campaign_tag: 'spring',
    utm_defaults: { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
    query_policy: 'append',
    status: 'active',
    created_at: new Date().toISOString(),
    ...over,
  };
}

const NO_SETTINGS = {
  root_url: null,
  not_found_url: null,
  expired_url: null,
  indexable: false,
  apple_app_site_association: null,
  assetlinks: null,
};
let domainNumber = 0;

/** A verified domain with a hostname of its own. */
export function sampleDomain(over: Partial<DomainSnapshot> = {}): DomainSnapshot {
  domainNumber += 1;
  const hostname = `host${domainNumber}.example.com`;
  return { id: newId('dom'), revision: 2, hostname, status: 'verified', ...NO_SETTINGS, ...over };
}

export interface TestRedirect {
  url: string;
  /** Returns the current value of a metric, of its first series with the label. */
  metric(name: string, label?: string): Promise<number>;
  ready(): Promise<boolean>;
  stop(): Promise<void>;
}

/** The real service in this process, on free ports. */
export async function startRedirect(env: Record<string, string>): Promise<TestRedirect> {
  const names = { SHORT_BASE_URL: 'https://go.acme.com', SHORT_HOSTS: '127.0.0.1' };
  const parts = testProcess(redirectConfig, { ...names, ...env });
  const { server, ops } = await start(parts);
  return {
    url: urlOf(server),
    metric: async (name, label = '') => {
      const text = await (await fetch(`${urlOf(ops)}/metrics`)).text();
      const value = new RegExp(`^waymark_${name}\\{[^}]*${label}[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1];
      if (value === undefined) throw new Error(`no metric ${name}`);
      return Number(value);
    },
    ready: async () => (await fetch(`${urlOf(ops)}/readyz`)).ok,
    stop: () => parts.lifecycle.stop(),
  };
}

/** The other services: publishes what they do, and receives every scan. */
export class Neighbours {
  readonly batches: { scans: RawScan[]; bytes: number }[] = [];
  private readonly lifecycle = new Lifecycle(log);
  readonly broker: Broker;
  readonly publisher: Publisher;

  constructor(backing: { AMQP_URL: string; AMQP_NAMESPACE: string }) {
    this.broker = new Broker(
      { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE, name: 'test' },
      { log, lifecycle: this.lifecycle },
    );
    this.publisher = openPublisher(this.broker);
    this.broker.keepChannel('scans', async (channel) => {
      await assertExchanges(channel, this.broker.topology);
      const { queue } = await channel.assertQueue('', { exclusive: true });
      await channel.bindQueue(queue, this.broker.topology.events, scanRecorded.type);
      await channel.consume(queue, (message) => message && this.take(message.content), { noAck: true });
    });
  }

  async start(): Promise<this> {
    this.broker.start();
    await waitFor('the broker', () => this.publisher.isUp);
    return this;
  }

  stop(): Promise<void> {
    return this.lifecycle.stop();
  }

  tell(definition: EventDefinition<{ link: LinkSnapshot }>, link: LinkSnapshot, workspace = WORKSPACE): Promise<void> {
    return this.publish(definition.create({ workspace }, { link }));
  }

  tellDomain(
    definition: EventDefinition<{ domain: DomainSnapshot }>,
    domain: DomainSnapshot,
    workspace = WORKSPACE,
  ): Promise<void> {
    return this.publish(definition.create({ workspace }, { domain }));
  }

  /** Retries until a queue takes it, as the outbox does: the redirect may not have declared its queues yet. */
  private publish(event: Event): Promise<void> {
    return publishEvent(this.publisher, event);
  }

  get scans(): RawScan[] {
    return this.batches.flatMap(({ scans }) => scans);
  }

  scansOf(link: LinkSnapshot): RawScan[] {
    return this.scans.filter((scan) => scan.link_id === link.id);
  }

  private take(body: Buffer): void {
    const event = envelope.parse(JSON.parse(body.toString('utf8')));
    this.batches.push({ scans: scanRecorded.schema.parse(event.data).scans, bytes: body.length });
  }
}

/** Without following the redirect. */
export function visitUrl(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', ...init });
}

/** A connection to the broker that tests can cut and restore. */
export class Cable {
  private readonly server = createServer((near) => this.join(near));
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(private readonly target: URL) {}

  static async to(amqpUrl: string): Promise<Cable> {
    const cable = new Cable(new URL(amqpUrl));
    await new Promise<void>((resolve) => cable.server.listen(0, '127.0.0.1', resolve));
    return cable;
  }

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  remove(): void {
    this.cut();
    this.server.close();
  }

  private join(near: Socket): void {
    if (this.isCut) return void near.destroy();
    const far = connect(Number(this.target.port || 5672), this.target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
