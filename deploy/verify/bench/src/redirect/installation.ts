import { setTimeout as sleep } from 'node:timers/promises';
import { linkCreated, type LinkSnapshot } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { MAX_SCANS_MAX } from '@waymark/contract/visit-fields';
import type { Publisher } from '@waymark/kernel/broker/publisher';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { backing, type SystemSettings } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';
import { waitFor } from '@waymark/testing/wait-for';
import { openEnvironment, type Stoppable } from '../install.js';
import { consumeEveryEvent } from '../join-broker.js';

const COUNT_STALLED_MS = 30_000;
const DAY_MS = 24 * 3600_000;

const LINKS = 200;

/** The redirect and the analytics service, with links. */
export interface Installation extends Stoppable {
  system: System;
  /** Short URLs, which answer: of links without conditions. */
  plain: string[];
  /** The same of links with a schedule and a limit, with a path that they forward. */
  conditional: string[];
  /** Frees the machine for the measurement: scans still go to the broker, and wait there. */
  pauseAnalytics(): Promise<void>;
  /** Lets analytics store the waiting scans, and counts them. */
  countScans(expected: number): Promise<number>;
}

export function installRedirect(destinationUrl: string): Promise<Installation> {
  return openEnvironment(async ({ settings, lifecycle, start }) => {
    const system = await start(['redirect', 'analytics']);
    const publisher = consumeEveryEvent(settings, lifecycle);
    const plain = await publishLinks({ system, publisher }, () => sampleLink(destinationUrl));
    const conditional = await publishLinks({ system, publisher }, () => ({
      ...sampleLink(destinationUrl),
      starts_at: new Date(Date.now() - DAY_MS).toISOString(),
      expires_at: new Date(Date.now() + DAY_MS).toISOString(),
      max_scans: MAX_SCANS_MAX,
      forward_path: true,
    }));
    const analytics = system.process('analytics');
    return {
      system,
      plain,
      conditional: conditional.map((url) => `${url}/autumn/shoes`),
      pauseAnalytics: () => analytics.stop(),
      countScans: async (expected) => {
        await analytics.start();
        return countUntil(settings, expected);
      },
    };
  });
}

/** Straight through the event exchange, as the resource service would. */
async function publishLinks(
  { system, publisher }: { system: System; publisher: Publisher },
  newLink: () => LinkSnapshot,
): Promise<string[]> {
  await waitFor('analytics to be bound', () => brokerIsUp(system));
  await waitFor('the broker', () => Promise.resolve(publisher.isUp));
  const events = Array.from({ length: LINKS }, () => linkCreated.create({ workspace: 'bench' }, { link: newLink() }));
  await Promise.all(events.map((event) => publisher.publish(event.type, event.id, JSON.stringify(event))));
  const urls = events.map(({ data }) => `${system.shortUrl}/${data.link.short_code}`);
  for (const url of urls) {
    await waitFor('the link to answer', async () => {
      // HEAD is not counted.
      const { status } = await fetch(url, { method: 'HEAD', redirect: 'manual' });
      return status === 302;
    });
  }
  return urls;
}

async function brokerIsUp(system: System): Promise<boolean> {
  return (await system.process('analytics').metric('waymark_broker_up')) === 1;
}

function sampleLink(destinationUrl: string): LinkSnapshot {
  const id = newId('lnk');
  const shortCode = id.slice(-9).toLowerCase();
  return {
    id,
    revision: 1,
    hostname: null,
    short_code: shortCode,
    short_url: `http://127.0.0.1/${shortCode}`,
    title: 'Spring',
    destination_url: destinationUrl,
    campaign_tag: 'spring-26',
    utm_defaults: { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
    query_policy: 'append',
    status: 'active',
    created_at: new Date().toISOString(),
  };
}

/** Returns when as many are stored, or when no more come. */
async function countUntil(settings: SystemSettings, expected: number): Promise<number> {
  const log = createLog('bench', 'silent');
  const lifecycle = new Lifecycle(log);
  const db = new Database(backing(settings, 'analytics')['MONGODB_URI']!, { log, lifecycle });
  await db.start();
  const scans = db.connection.collection('scans');
  let stored = 0;
  let grownAt = Date.now();
  while (stored < expected && Date.now() - grownAt < COUNT_STALLED_MS) {
    await sleep(250);
    const now = await scans.countDocuments({});
    if (now > stored) grownAt = Date.now();
    stored = now;
  }
  await lifecycle.stop();
  return stored;
}
