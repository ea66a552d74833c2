import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Collection } from 'mongoose';
import { backing } from '@waymark/launcher/process-table';
import { waitUntilReady } from '@waymark/launcher/system';
import { EventSource } from '../harness/event-source.js';
import type { Report } from '../harness/report.js';
import { settle } from '../harness/settle.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import type { Behaviour } from '@waymark/testing/webhook-server';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';

const ENDPOINTS = 10;
const EVENTS = 20_000;
const EVENTS_PER_SECOND = 300;
const KILLS = 10;
const SETTLE_TIMEOUT_MS = 900_000;

/**
 * 20,000 events to 10 endpoints while the two webhook processes are killed ten times in turn, the broker once, and the
 * database restarted: every event reaches every endpoint.
 */
export function webhookKill(): Promise<Report> {
  return withWebhooks({}, async ({ environment, receiver, source, attempts }) => {
    const paths = Array.from({ length: ENDPOINTS }, (_, index) => `/endpoint-${index}`);
    for (const path of paths) await subscribe(environment, receiver.addEndpoint(path));
    const workers = [environment.system.process('webhook'), await environment.system.startReplica('webhook')];
    const publishing = source.publish(EVENTS, EVENTS_PER_SECOND);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(4000 + Math.random() * 2000);
      const worker = workers[kill % workers.length]!;
      await worker.kill();
      if (kill === 3) environment.stack.broker!.signal('SIGKILL');
      // Stopped, not killed: the local database's indexes do not survive every crash while they grow this fast.
      if (kill === 6) await environment.stack.database!.stop();
      await sleep(1000);
      if (kill === 3) await environment.stack.broker!.start();
      if (kill === 6) await environment.stack.database!.start();
      await worker.start();
    }
    await publishing;
    const expected = EVENTS * ENDPOINTS;
    const succeeded = () => attempts().countDocuments({ status: 'succeeded' });
    const startedAt = Date.now();
    await settle(async () => (await succeeded()) >= expected, SETTLE_TIMEOUT_MS);
    const drained = Math.round((Date.now() - startedAt) / 100) / 10;
    const counts = paths.flatMap((path) => [...source.publishedAt.keys()].map((id) => receiver.eventsAt(path).get(id)));
    const lost = counts.filter((count) => count === undefined).length;
    const deliveries = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    const rows = { succeeded: await succeeded(), pending: await attempts().countDocuments({ status: 'pending' }) };
    return {
      events: EVENTS,
      endpoints: ENDPOINTS,
      kills: KILLS,
      expected,
      deliveries,
      lost,
      delivered_twice_share: Number(((deliveries - expected + lost) / expected).toFixed(5)),
      rows,
      time_to_drain_s: drained,
      passed: lost === 0 && rows.succeeded === expected && rows.pending === 0,
    };
  });
}

const LEASE_MS = 30_000;
/** Time to claim attempts, and to start the process again. */
const SLACK_MS = 10_000;

/** The webhook process killed before a receiver answers its POST: the same event is sent again within the lease. */
export function webhookKillMidPost(): Promise<Report> {
  return withWebhooks({}, async ({ environment, receiver, source, attempts }) => {
    const arrivals: number[] = [];
    const behaviour: Behaviour = (response) => {
      if (arrivals.push(Date.now()) > 1) response.writeHead(204).end();
    };
    await subscribe(environment, receiver.addEndpoint('/held', behaviour));
    await source.publish(1, 1);
    await settle(() => arrivals.length === 1, SLACK_MS);
    const worker = environment.system.process('webhook');
    await worker.kill();
    await worker.start();
    await settle(() => arrivals.length === 2, LEASE_MS + SLACK_MS);
    await settle(async () => (await attempts().countDocuments({ status: 'succeeded' })) === 1, SLACK_MS);
    const rows = await attempts().countDocuments({});
    const [eventId] = source.publishedAt.keys();
    const posts = receiver.eventsAt('/held').get(eventId!);
    const gapMs = (arrivals[1] ?? Infinity) - arrivals[0]!;
    const passed = posts === 2 && receiver.eventsAt('/held').size === 1 && rows === 1 && gapMs < LEASE_MS + SLACK_MS;
    return { posts_with_the_same_id: posts, attempt_rows: rows, again_after_ms: gapMs, passed };
  });
}

const PHASE_EVENTS = 400;
const PHASE_PER_SECOND = 20;
const RATIO_MAX = 1.2;
/** A smaller difference is caused by the machine, not the receivers. */
const NOISE_MS = 100;
const GROWTH_MAX_MB = 100;
const TEN_YEARS_SECONDS = 315_360_000;

/** An endpoint beside ten that misbehave in every way: its deliveries are as fast as beside ten that accept. */
export function webhookHostile(): Promise<Report> {
  return withWebhooks({ WEBHOOK_RETRY_SCHEDULE: '1,2,4' }, async ({ environment, receiver, source }) => {
    await subscribe(environment, receiver.addEndpoint('/healthy'));
    const hostile = hostileUrls(receiver);
    const ids = await Promise.all(
      hostile.map((_, index) => subscribe(environment, receiver.addEndpoint(`/control-${index}`))),
    );
    await source.publish(PHASE_EVENTS / 3, PHASE_PER_SECOND);
    const control = await latencies(receiver, source, PHASE_EVENTS);
    const webhook = environment.system.process('webhook');
    const memoryBefore = webhook.residentMegabytes();
    for (const [index, id] of ids.entries()) {
      await callApi(environment.demo, 'PATCH', `/webhooks/${id}`, { url: hostile[index] });
    }
    const beside = await latencies(receiver, source, PHASE_EVENTS);
    const growth = Math.round(webhook.residentMegabytes() - memoryBefore);
    const ratio = Number((beside.p99 / control.p99).toFixed(2));
    const isUndisturbed = ratio <= RATIO_MAX || beside.p99 - control.p99 < NOISE_MS;
    return {
      beside_ten_that_accept_ms: control,
      beside_ten_hostile_ms: beside,
      p99_ratio: ratio,
      memory_growth_mb: growth,
      passed: isUndisturbed && beside.arrived === PHASE_EVENTS && growth < GROWTH_MAX_MB,
    };
  });
}

function hostileUrls(receiver: WebhookReceiver): string[] {
  const drip: Behaviour = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 100);
    response.on('close', () => clearInterval(timer));
  };
  const endless: Behaviour = (response) => {
    response.writeHead(500);
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
  const status =
    (code: number, headers: Record<string, string> = {}): Behaviour =>
    (response) =>
      void response.writeHead(code, headers).end();
  return [
    receiver.addEndpoint('/hang', () => undefined),
    receiver.addEndpoint('/drip', drip),
    receiver.addEndpoint('/endless', endless),
    receiver.addEndpoint('/reset', (response) => void response.socket?.resetAndDestroy()),
    receiver.addEndpoint('/500', status(500)),
    receiver.addEndpoint('/301', status(301, { location: 'http://169.254.169.254/' })),
    receiver.addEndpoint('/410', status(410)),
    receiver.addEndpoint('/429', status(429, { 'retry-after': String(TEN_YEARS_SECONDS) })),
    `https://127.0.0.1:${receiver.port}/tls`,
    'https://hooks.example.invalid/dns',
  ];
}

/** Returns the milliseconds from each event's publication to its arrival at the healthy endpoint. */
async function latencies(receiver: WebhookReceiver, source: EventSource, count: number) {
  const known = new Set(source.publishedAt.keys());
  await source.publish(count, PHASE_PER_SECOND);
  const fresh = [...source.publishedAt].filter(([id]) => !known.has(id));
  await settle(() => fresh.every(([id]) => receiver.arrivalOf('/healthy', id) !== undefined), 60_000);
  const times = fresh
    .map(([id, publishedAt]) => (receiver.arrivalOf('/healthy', id) ?? NaN) - publishedAt)
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b);
  const quantileAt = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { arrived: times.length, p50: quantileAt(0.5), p99: Math.max(1, quantileAt(0.99)) };
}

interface Webhooks {
  environment: Environment;
  receiver: WebhookReceiver;
  source: EventSource;
  /** The attempt rows of the webhook service. */
  attempts: () => Collection;
}

function withWebhooks(env: Record<string, string>, work: (webhooks: Webhooks) => Promise<Report>): Promise<Report> {
  return withEnvironment({ envOf: { webhook: env } }, async (environment) => {
    const receiver = await WebhookReceiver.start();
    const source = new EventSource(environment);
    const uri = backing(environment.system.settings, 'webhook')['MONGODB_URI']!;
    const database = await mongoose.createConnection(uri, { maxPoolSize: 2 }).asPromise();
    try {
      await waitUntilReady(environment.system.process('webhook'));
      return await work({ environment, receiver, source, attempts: () => database.collection('attempts') });
    } finally {
      await database.close();
      await source.stop();
      receiver.stop();
    }
  });
}

async function subscribe(environment: Environment, url: string): Promise<string> {
  const { data } = await callApi(environment.demo, 'POST', '/webhooks', { url, event_types: ['conversion.recorded'] });
  return (data as { id: string }).id;
}
