import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import mongoose, { type Connection } from 'mongoose';
import { linkCreated } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { Publisher } from '@waymark/kernel/broker/publisher';
import { CpuShares } from '@waymark/launcher/cpu-shares';
import { backing, PROCESS_NAMES } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';
import { waitFor } from '@waymark/testing/wait-for';
import { fill } from '../analytics/fill.js';
import { rounded } from '../figures.js';
import { openEnvironment, type Stoppable } from '../install.js';
import { consumeEveryEvent } from '../join-broker.js';
import { generatorPids } from '../run-load.js';
import { codeOf, visit, type VisitResult } from './visit-load.js';

const WORKSPACE = 'slo';
const LINKS_AT_ONCE = 200;
const WARM_UP_SECONDS = 10;
/** As Docker Compose prefers the redirect; visitors have machines of their own. */
const PREFERRED_CPU_MILLIS = 4000;
const SAMPLE_MS = 250;
const WAITING = { timeoutMs: 20 * 60_000, pauseMs: 250 };

interface Installation extends Stoppable {
  system: System;
  publisher: Publisher;
  database: Connection;
  warehouse: ClickHouseClient;
}

interface Options {
  links: number;
  scans: number;
  rate: number;
  seconds: number;
}

/**
 * Visits at a fixed rate in an installation that has links and scans already, all of it on this machine: how many are redirected
 * how fast, and how far the figures are behind meanwhile. Every scan must be stored and counted.
 */
export async function benchSlo({ links, scans, rate, seconds }: Options): Promise<boolean> {
  const installation = await install();
  try {
    await publishLinks(installation, links);
    await fill(installation, installation.warehouse, { workspace: WORKSPACE, scans });
    const load = { url: installation.system.shortUrl, links, perSecond: rate };
    const warmUp = await visit({ ...load, seconds: WARM_UP_SECONDS });
    await waitUntilCounted(installation, { scans, visits: warmUp.redirects });
    const figures = watchFigures(installation);
    const result = await visit({ ...load, seconds });
    const standstill = await figures.stop();
    const startedAt = performance.now();
    await waitUntilCounted(installation, { scans, visits: warmUp.redirects + result.redirects });
    const behind = (performance.now() - startedAt) / 1000;
    const report = summarize(result, { links, scans, rate, seconds, ...standstill, behind });
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await installation.stop();
  }
}

function install(): Promise<Installation> {
  return openEnvironment(async ({ settings, lifecycle, start }) => {
    const system = await start([...PROCESS_NAMES]);
    const shares = CpuShares.divide([
      { name: 'redirect', cpuMillis: PREFERRED_CPU_MILLIS, pids: () => [system.process('redirect').pid] },
      { name: 'visitors', cpuMillis: PREFERRED_CPU_MILLIS, pids: generatorPids },
    ]);
    if (!shares) console.error('this machine cannot prefer the redirect: its CPU is shared equally');
    lifecycle.onStop('CPU', () => shares?.stop());
    const publisher = consumeEveryEvent(settings, lifecycle);
    await waitFor('the broker', () => Promise.resolve(publisher.isUp));
    const env = backing(settings, 'analytics');
    const database = await mongoose.createConnection(env['MONGODB_URI']!).asPromise();
    lifecycle.onStop('database', () => database.close());
    const warehouse = createClient({ url: env['CLICKHOUSE_URL'], request_timeout: 600_000 });
    lifecycle.onStop('warehouse', () => warehouse.close());
    await waitFor('the tables of the warehouse', () => hasTables(warehouse));
    return { system, publisher, database, warehouse };
  });
}

async function hasTables(warehouse: ClickHouseClient): Promise<boolean> {
  const query = "SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN ('links', 'scans')";
  return (await (await warehouse.query({ query, format: 'JSONEachRow' })).json()).length === 2;
}

async function publishLinks({ publisher, system }: Installation, count: number): Promise<void> {
  console.error(`publishing ${count} links`);
  const created_at = new Date().toISOString();
  const noUtm = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null };
  for (let from = 0; from < count; from += LINKS_AT_ONCE) {
    const events = Array.from({ length: Math.min(LINKS_AT_ONCE, count - from) }, (_, index) => {
      const short_code = codeOf(from + index);
      const link = {
        ...{ id: newId('lnk'), revision: 1, hostname: null, short_code, short_url: `${system.shortUrl}/${short_code}` },
        ...{ title: `Link ${from + index}`, destination_url: `https://example.com/landing/${from + index}` },
        ...{ campaign_tag: 'spring-26', utm_defaults: noUtm, query_policy: 'append' as const },
        ...{ status: 'active' as const, created_at },
      };
      return linkCreated.create({ workspace: WORKSPACE }, { link });
    });
    await Promise.all(events.map((event) => publisher.publish(event.type, event.id, JSON.stringify(event))));
  }
  const last = `${system.shortUrl}/${codeOf(count - 1)}`;
  const answers = async () => (await fetch(last, { method: 'HEAD', redirect: 'manual' })).status === 302;
  await waitFor('the last link to answer', answers, WAITING);
}

const countStored = ({ system }: Installation): Promise<number> =>
  system.process('analytics').metric('waymark_scans_stored_total', 'outcome="new"');

/** Returns the number of the warehouse's scans, counted by this expression. */
async function countLoaded({ warehouse }: Installation, expression: string): Promise<number> {
  const query = `SELECT ${expression} AS count FROM scans`;
  const [row] = await (await warehouse.query({ query, format: 'JSONEachRow' })).json<{ count: string }>();
  return Number(row!.count);
}

/** Waits until every visit is stored and loaded, beside the scans of the filled installation. */
async function waitUntilCounted(
  installation: Installation,
  { scans, visits }: { scans: number; visits: number },
): Promise<void> {
  const pending = installation.database.collection('pending_scans');
  await waitFor('every visit to be stored', async () => (await countStored(installation)) >= visits, WAITING);
  const isLoaded = async () => (await pending.findOne({}, { projection: { _id: 1 } })) === null;
  await waitFor('every scan to be loaded', isLoaded, WAITING);
  const loaded = await countLoaded(installation, 'uniqExact(id)');
  if (loaded !== scans + visits) throw new Error(`${loaded} scans are counted, ${scans + visits} were made`);
}

/** Watches how many scans the figures have. @returns stops, and returns the longest time in which they did not change */
function watchFigures(installation: Installation) {
  let isStopped = false;
  let [longestMs, changedAt, last] = [0, performance.now(), -1];
  const running = (async () => {
    while (!isStopped) {
      const count = await countLoaded(installation, 'count()');
      const now = performance.now();
      if (count !== last) [last, changedAt] = [count, now];
      longestMs = Math.max(longestMs, now - changedAt);
      await sleep(SAMPLE_MS);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      return { standstillSeconds: longestMs / 1000 };
    },
  };
}

interface Facts extends Options {
  standstillSeconds: number;
  behind: number;
}

function summarize(result: VisitResult, { standstillSeconds, behind, ...options }: Facts) {
  return {
    benchmark: 'slo',
    ...options,
    ...result,
    figures_stood_still_s: rounded(standstillSeconds, 1),
    counted_after_s: rounded(behind, 1),
    passed: result.failures === 0,
  };
}
