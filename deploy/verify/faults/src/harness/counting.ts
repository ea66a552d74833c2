import { setTimeout as sleep } from 'node:timers/promises';
import { warehouseDifferences } from './admin-command.js';
import { EventSource } from './event-source.js';
import { CROWD, type ScanMessage } from './scan-messages.js';
import { LoggedScans } from './logged-scans.js';
import type { Report } from './report.js';
import { settle } from './settle.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { callApi, withEnvironment, type Environment, type EnvironmentOptions } from './environment.js';

const SETTLE_TIMEOUT_MS = 300_000;

/** An installation that gets scans without the redirect, and everything that results from them. */
export interface Counting {
  environment: Environment;
  source: EventSource;
  logged: LoggedScans;
  receiver: WebhookReceiver;
}

export function withCounting(
  work: (counting: Counting) => Promise<Report>,
  options: EnvironmentOptions = {},
): Promise<Report> {
  return withEnvironment(options, async (environment) => {
    const receiver = await WebhookReceiver.start();
    const source = new EventSource(environment);
    const logged = await LoggedScans.listen(environment);
    try {
      await callApi(environment.demo, 'POST', '/webhooks', {
        url: receiver.addEndpoint('/scans'),
        event_types: ['scan.logged'],
      });
      return await work({ environment, source, logged, receiver });
    } finally {
      await logged.stop();
      await source.stop();
      receiver.stop();
    }
  });
}

export async function publish(
  source: EventSource,
  messages: readonly ScanMessage[],
  perSecond = Infinity,
): Promise<void> {
  const startedAt = performance.now();
  const open: Promise<void>[] = [];
  for (const message of messages) {
    while (open.length > ((performance.now() - startedAt) / 1000) * perSecond) await sleep(10);
    open.push(source.send(message));
  }
  await Promise.all(open);
}

/** Compares the sent scans with rows, figures, links, events and webhooks, once all queues are empty. */
export async function compareWithSent(
  { environment, logged, receiver }: Counting,
  messages: readonly ScanMessage[],
): Promise<Report> {
  const { state, demo, say } = environment;
  const scans = messages.flatMap(({ data }) => data.scans);
  const sent = new Set(scans.map(({ id }) => id));
  const ofDemo = scans.filter(({ workspace }) => workspace === demo.workspace).length;
  const startedAt = Date.now();
  await settle(
    async () => {
      const rest = [await state.queueDepth('analytics.scans'), await state.pendingScans()];
      const [stored, links] = [await state.scansStored(), await state.linkScans()];
      const [events, webhooks] = [logged.events.size, receiver.eventsAt('/scans').size];
      say(JSON.stringify({ stored, events, links, webhooks, rest }));
      return rest.every((count) => count === 0) && stored >= sent.size && events >= sent.size && webhooks >= ofDemo;
    },
    SETTLE_TIMEOUT_MS,
    2000,
  );
  const drained = Math.round((Date.now() - startedAt) / 100) / 10;
  const stored = await state.scanIds();
  const report = {
    sent: sent.size,
    stored: stored.length,
    lost: sent.size - stored.filter((id) => sent.has(id)).length,
    loaded: await state.scansLoaded(),
    warehouse_differences:
      (await warehouseDifferences(environment.system, environment.demo.workspace)) +
      (await warehouseDifferences(environment.system, CROWD)),
    sent_of_demo: ofDemo,
    links: await state.linkScans(),
    webhook_events: receiver.eventsAt('/scans').size,
    logged: logged.events.size,
    logged_twice: logged.doubled,
    parked: await state.queueDepth('analytics.scans.parked'),
    time_to_drain_s: drained,
  };
  const isExact = report.stored === sent.size && report.loaded === sent.size && report.logged === sent.size;
  const isFollowed = report.links === ofDemo && report.webhook_events === ofDemo;
  const isClean = report.lost + report.warehouse_differences + report.logged_twice + report.parked === 0;
  return { ...report, passed: isExact && isFollowed && isClean };
}
