import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { ManagedProcess } from '@waymark/launcher/managed-process';
import { backing } from '@waymark/launcher/process-table';
import { waitFor } from '@waymark/testing/wait-for';
import { adminCommand } from '../harness/admin-command.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';
import { Load } from '../harness/load.js';
import type { Report } from '../harness/report.js';
import type { VisitedLink } from '../harness/visited-link.js';

const VISITS_PER_SECOND = 500;
const LINKS = 20;
const HOSTS = 10;
const PROMISED_MS = 5000;
const VISIT_EVERY_MS = 50;
const BLOCKED = 451;
const REDIRECT = 302;

interface ShownLink extends VisitedLink {
  blocked: { reason: string } | null;
}

/**
 * Links and hosts are blocked while two redirects are under load: every edge answers 451 in time, also one that starts
 * again after the database of the redirects was emptied. The checker's outage blocks no write and is caught up, and a
 * changed list blocks without a restart.
 */
export function blockUnderLoad(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-blocking-'));
  const list = join(folder, 'blocklist.txt');
  writeFileSync(list, '');
  const checker = new Checker();
  return checker
    .listen()
    .then((url) => {
      const resource = { DESTINATION_BLOCKLIST: list, DESTINATION_CHECK_URL: url };
      const redirect = { SPOOL_DIR: join(folder, 'spool-1') };
      return withEnvironment({ envOf: { resource, redirect } }, (environment) =>
        measure(environment, { folder, list, checker }),
      );
    })
    .finally(() => {
      checker.stop();
      rmSync(folder, { recursive: true, force: true });
    });
}

interface Setup {
  folder: string;
  list: string;
  checker: Checker;
}

async function measure(environment: Environment, setup: Setup): Promise<Report> {
  const { system, links, say } = environment;
  // The replica needs a spool of its own.
  system.settings.envOf!.redirect!['SPOOL_DIR'] = join(setup.folder, 'spool-2');
  const replica = await system.startReplica('redirect');
  const edges = [system.shortUrl, replica.url];
  const targets = await createTargets(environment);
  const loads = edges.map((url) => new Load(url, links, VISITS_PER_SECOND).start());
  for (const { link } of targets) await Promise.all(edges.map((edge) => waitForStatus(edge, link, REDIRECT)));

  const delays: number[] = [];
  for (const { link, args } of targets) {
    const startedAt = performance.now();
    const seen = edges.map((edge) => waitForStatus(edge, link, BLOCKED));
    await adminCommand(system, 'resource', 'link', 'block', ...args, '--reason', 'A fault blocks it');
    await Promise.all(seen);
    delays.push(...(await Promise.all(seen)).map((at) => at - startedAt));
  }
  say(`blocked ${targets.length} links and hosts, p99 ${quantile(delays)} ms`);
  const restarted = await restartWithoutDatabase(environment, replica, targets);
  await Promise.all(loads.map((load) => load.stop()));
  const attempted = loads.reduce((sum, load) => sum + load.attempted, 0);
  const accepted = loads.reduce((sum, load) => sum + load.accepted.length, 0);
  const isCaughtUp = await catchUp(environment, setup);
  const isListed = await reloadList(environment, setup);
  return {
    attempted,
    accepted,
    blocked_p99_ms: quantile(delays),
    ...restarted,
    checker_caught_up: isCaughtUp,
    list_reloaded: isListed,
    passed:
      quantile(delays) <= PROMISED_MS &&
      restarted.redirects_after_restart === 0 &&
      restarted.restarted_p99_ms <= PROMISED_MS &&
      isCaughtUp &&
      isListed,
  };
}

interface Target {
  link: VisitedLink;
  /** What the operator names. */
  args: string[];
}

async function createTargets({ demo }: Environment): Promise<Target[]> {
  const create = async (destination_url: string) =>
    (await callApi(demo, 'POST', '/links', { destination_url })).data as VisitedLink;
  const targets: Target[] = [];
  for (let index = 0; index < LINKS; index += 1) {
    const link = await create(`https://example.com/blocked/${index}`);
    targets.push({ link, args: [link.id] });
  }
  for (let index = 0; index < HOSTS; index += 1) {
    const link = await create(`https://www.host-${index}.example/`);
    targets.push({ link, args: ['--host', `host-${index}.example`] });
  }
  return targets;
}

/** Empties the database of the redirects, and starts one of them again: it must not redirect once. */
async function restartWithoutDatabase({ system, links, say }: Environment, replica: ManagedProcess, targets: Target[]) {
  await replica.kill();
  const database = await mongoose.createConnection(backing(system.settings, 'redirect')['MONGODB_URI']!).asPromise();
  for (const { name } of await database.listCollections()) await database.collection(name).deleteMany({});
  await database.close();
  const beforeStart = performance.now();
  await replica.start();
  // Each link must be looked up again: until the edge answers for any link, it answers 503 for all of them.
  const statuses = new Set<number>();
  const blocked = targets.map(({ link }) => waitForStatus(replica.url, link, BLOCKED, statuses));
  const startedAt = await waitForStatus(replica.url, links[0]!, REDIRECT);
  const delays = (await Promise.all(blocked)).map((at) => Math.max(0, at - startedAt));
  const startMs = Math.round(startedAt - beforeStart);
  say(`started without a database in ${startMs} ms: ${[...statuses].join(', ')}, p99 ${quantile(delays)} ms`);
  return { restarted_p99_ms: quantile(delays), redirects_after_restart: statuses.has(REDIRECT) ? 1 : 0 };
}

/** @returns false unless a write during the outage of the checker succeeds, and is blocked afterwards */
async function catchUp({ demo }: Environment, { checker }: Setup): Promise<boolean> {
  checker.isAway = true;
  const { data } = await callApi(demo, 'POST', '/links', { destination_url: 'https://harmful.example/' });
  checker.isAway = false;
  return isBlocked(demo, data as ShownLink);
}

async function reloadList({ demo }: Environment, { list }: Setup): Promise<boolean> {
  const { data } = await callApi(demo, 'POST', '/links', { destination_url: 'https://listed.example/' });
  appendFileSync(list, 'listed.example\n');
  return isBlocked(demo, data as ShownLink);
}

const isBlocked = (demo: Environment['demo'], { id }: ShownLink): Promise<boolean> =>
  waitFor('the block', async () => ((await callApi(demo, 'GET', `/links/${id}`)).data as ShownLink).blocked !== null);

/** Visits the link until it is answered so. @returns the time of that answer, by `performance.now()` */
async function waitForStatus(
  edge: string,
  { short_code: code }: VisitedLink,
  wanted: number,
  seen = new Set<number>(),
): Promise<number> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(VISIT_EVERY_MS)) {
    const status = await visit(`${edge}/${code}`).catch(() => 0);
    seen.add(status);
    if (status === wanted) return performance.now();
  }
  throw new Error(`${edge}/${code} does not answer ${wanted}, but ${[...seen].join(', ')}`);
}

const visit = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      resolve(response.statusCode!);
    }).on('error', reject);
  });

function quantile(delays: number[]): number {
  const sorted = delays.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))]!);
}

/** Finds every destination harmful whose host says so. */
class Checker {
  isAway = false;
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (this.isAway) return void response.writeHead(503).end();
      const { urls } = JSON.parse(Buffer.concat(chunks).toString()) as { urls: string[] };
      const results = urls.map((url) => ({ url, verdict: url.includes('harmful') ? 'block' : 'ok' }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
