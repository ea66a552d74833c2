import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@waymark/contract/event';
import { conversionRecorded } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import type { Environment } from './environment.js';

const AGAIN_MS = 250;

/** Publishes events in place of the services; each event in `publishedAt` was confirmed by the broker. */
export class EventSource {
  readonly publishedAt = new Map<string, number>();
  private readonly lifecycle = new Lifecycle(createLog('faults', 'silent'));
  private readonly publisher: Publisher;

  constructor(private readonly environment: Environment) {
    const { amqpUrl, namespace } = environment.system.settings;
    const broker = new Broker(
      { url: amqpUrl, namespace, name: 'waymark-faults' },
      { log: createLog('faults', 'silent'), lifecycle: this.lifecycle },
    );
    this.publisher = openPublisher(broker);
    broker.start();
  }

  stop(): Promise<void> {
    return this.lifecycle.stop();
  }

  /** Publishes `perSecond` events a second until all are confirmed, also through failures of the broker. */
  async publish(count: number, perSecond: number): Promise<void> {
    const startedAt = performance.now();
    const open: Promise<void>[] = [];
    while (open.length < count) {
      const due = Math.min(count, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
      while (open.length < due) open.push(this.publishConversion());
      await sleep(10);
    }
    await Promise.all(open);
  }

  private async publishConversion(): Promise<void> {
    const event = conversionRecorded.create({ workspace: this.environment.demo.workspace }, sampleConversion());
    await this.send(event);
    this.publishedAt.set(event.id, Date.now());
  }

  /** Retries until the broker has confirmed the event. */
  async send(event: Event): Promise<void> {
    // While the broker is unavailable, or when its confirm was lost: send the same event again.
    while (!(await this.trySend(event))) await sleep(AGAIN_MS);
  }

  /** @returns whether the broker has confirmed the event */
  trySend(event: Event): Promise<boolean> {
    return this.publisher.publish(event.type, event.id, JSON.stringify(event)).then(
      () => true,
      () => false,
    );
  }
}

function sampleConversion() {
  const link = { id: 'lnk_1', short_code: 'k7Qm2xa', short_url: 'https://go.example.com/k7Qm2xa', title: 'Spring' };
  const now = new Date().toISOString();
  return {
    conversion: {
      id: newId('cnv'),
      link_id: link.id,
      short_code: link.short_code,
      source: 'shop',
      meta: null,
      value: 49,
      currency: 'EUR',
      external_id: null,
      occurred_at: now,
      recorded_at: now,
    },
    link: { ...link, campaign_tag: null },
  };
}
