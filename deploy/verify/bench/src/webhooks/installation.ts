import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { linkUpdated } from '@waymark/contract/events';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { Database } from '@waymark/kernel/mongo/database';
import { ServiceCaller } from '@waymark/testing/service-caller';
import { backing } from '@waymark/launcher/process-table';
import { identityKeyOf, loadOrCreateSecrets } from '@waymark/launcher/secrets';
import { waitFor } from '@waymark/testing/wait-for';
import { cpuSeconds } from '../cpu-time.js';
import { openEnvironment, type Stoppable } from '../install.js';

/** Polls rarely: the checks would slow the measured process. */
const STEP = { timeoutMs: 120_000, pauseMs: 100 };
const PUBLISHED_AT_ONCE = 500;
const NEVER = new Date('2100-01-01');

/** One webhook process, called as the gateway would. */
export class Installation {
  private constructor(
    private readonly caller: ServiceCaller,
    private readonly publisher: Publisher,
    private readonly database: Connection,
    /** Processor seconds that the webhook process has used. */
    readonly cpuSeconds: () => number,
    /** Processor seconds of the database's servers. */
    private readonly databaseCpuSeconds: () => number,
  ) {}

  static open(): Promise<Installation & Stoppable> {
    return openEnvironment(async ({ stack, settings, lifecycle, log, start }) => {
      const system = await start(['webhook']);
      const secrets = loadOrCreateSecrets(join(settings.folder, 'secrets.json'));
      const caller = new ServiceCaller(
        'webhook',
        () => system.process('webhook').url,
        identityKeyOf(secrets, 'webhook'),
      );
      const broker = new Broker(
        { url: settings.amqpUrl, namespace: settings.namespace, name: 'waymark-bench' },
        { log, lifecycle },
      );
      const publisher = openPublisher(broker);
      broker.start();
      const db = new Database(backing(settings, 'webhook')['MONGODB_URI']!, { log, lifecycle });
      await db.start();
      const installation = new Installation(
        caller,
        publisher,
        db.connection,
        () => cpuSeconds(system.process('webhook').pid),
        () => (stack.database?.pids() ?? []).reduce((sum, pid) => sum + cpuSeconds(pid), 0),
      );
      await waitFor(
        'the queue of the webhook service',
        () => installation.publishEvents('nobody', 1).then(() => true),
        STEP,
      );
      return installation;
    });
  }

  /** Processor seconds of the webhook process and of the database, which is 0 for one that this run has not started. */
  cpuOfAll(): { webhook: number; database: number } {
    return { webhook: this.cpuSeconds(), database: this.databaseCpuSeconds() };
  }

  async subscribe(workspace: string, url: string): Promise<void> {
    const body = { url, event_types: [linkUpdated.type] };
    const { status, text } = await this.caller.call('POST', '/webhooks', { workspace, body });
    if (status !== 201) throw new Error(`an endpoint was refused: ${text}`);
  }

  async publishEvents(workspace: string, events: number): Promise<void> {
    for (let sent = 0; sent < events; sent += PUBLISHED_AT_ONCE) {
      const count = Math.min(PUBLISHED_AT_ONCE, events - sent);
      await Promise.all(Array.from({ length: count }, () => this.publishOne(workspace)));
    }
  }

  /** Leases these endpoints as if another process sent to them, so that published events wait. */
  async blockEndpoints(workspace: string): Promise<void> {
    await this.database.collection('endpoints').updateMany({ workspace }, { $set: { leaseUntil: NEVER } });
  }

  async releaseEndpoints(workspace: string): Promise<void> {
    await this.database.collection('endpoints').updateMany({ workspace }, { $set: { leaseUntil: new Date(0) } });
  }

  /** Waits until as many attempts of a workspace have this status. */
  async waitForAttempts(workspace: string, status: 'pending' | 'succeeded', count: number): Promise<void> {
    const attempts = this.database.collection('attempts');
    await waitFor(
      `${count} attempts ${status}`,
      async () => {
        return (await attempts.countDocuments({ workspace, status }, { limit: count })) >= count;
      },
      STEP,
    );
  }

  countFailed(workspace: string): Promise<number> {
    return this.database.collection('attempts').countDocuments({ workspace, status: 'failed' });
  }

  private async publishOne(workspace: string): Promise<void> {
    const event = linkUpdated.create({ workspace }, { link: SAMPLE_LINK });
    await this.publisher.publish(event.type, event.id, JSON.stringify(event));
  }
}

export const SAMPLE_LINK = {
  id: 'lnk_01KEXAMPLE',
  revision: 1,
  hostname: null,
  short_code: 'k7Qm2xa',
  short_url: 'https://go.example.com/k7Qm2xa',
  title: 'Spring',
  destination_url: 'https://example.com/spring',
  campaign_tag: 'spring-26',
  utm_defaults: { utm_source: 'newsletter', utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
  query_policy: 'append' as const,
  status: 'active' as const,
  created_at: '2026-01-31T12:00:00.000Z',
};
