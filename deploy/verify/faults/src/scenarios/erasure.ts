import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { scanRecorded } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { backing, PROCESS_NAMES, type ProcessName } from '@waymark/launcher/process-table';
import { findCollectionsWith, findFilesWith, findTablesWith } from '@waymark/testing/leftovers';
import { waitFor } from '@waymark/testing/wait-for';
import { EventSource } from '../harness/event-source.js';
import type { Environment } from '../harness/environment.js';
import { withEnvironment } from '../harness/environment.js';
import { killAndStart } from '../harness/kill.js';
import type { Report } from '../harness/report.js';
import { adminCommand, tokenIn } from '../harness/tokens.js';

const LINKS = sizeIn('ERASE_KILL_LINKS', 10_000);
const SCANS = sizeIn('ERASE_KILL_SCANS', 100_000);
const ROWS_PER_IMPORT = 5000;
const SCANS_PER_MESSAGE = 500;
const MESSAGE_INTERVAL_MS = 250;
const ROUNDS = 2;
/** At the same time. */
const VISITS = 50;
const RETRIES_MAX = 10;
const WORKSPACE = 'marker-workspace';
/** In every value that the workspace has. */
const MARKER = 'marker';
const SETTLING_TIMEOUT_MS = 900_000;
const VICTIMS: ProcessName[] = PROCESS_NAMES.filter((name) => name !== 'gateway');
/** See "Erase a workspace or a user" in docs/operations/operations.md. */
const KEPT = /^(auth\.erasure_orders|auth\.accepted_requests|\w+\.erasures)$/;

/**
 * A workspace of 10,000 links and 100,000 scans is erased while each service is killed twice: nothing of it is left, and
 * the other workspace keeps all of its links and scans. `ERASE_KILL_LINKS` and `ERASE_KILL_SCANS` set the size.
 */
export function eraseKill(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const { system, say, links } = environment;
    const codes = await fillWorkspace(environment);
    const before = await bystanderState(environment);
    const startedAt = Date.now();
    await erase(environment, 0);
    let kills = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of VICTIMS) {
        await sleep(Math.random() * 500);
        await killAndStart(system.process(name));
        kills += 1;
      }
    }
    const killedSeconds = secondsSince(startedAt);
    const report = await erase(environment, SETTLING_TIMEOUT_MS / 1000);
    say(`erased after ${secondsSince(startedAt)} s, of which ${killedSeconds} s with kills`);
    const leftovers = await waitForNothingLeft(environment);
    const after = await bystanderState(environment);
    const refusals: Refusals = {};
    const visits = codes.slice(0, VISITS).map((code) => statusOf(environment, code, refusals));
    const notGone = (await Promise.all(visits)).filter((status) => status !== 410);
    const bystander = await statusOf(environment, links[0]!.short_code, refusals);
    return {
      links: LINKS,
      scans: SCANS,
      kills,
      seconds: secondsSince(startedAt),
      removed: report.services,
      leftovers,
      not_gone: notGone,
      refusals,
      bystander: { before, after, status: bystander },
      passed:
        report.is_complete &&
        leftovers.length + notGone.length === 0 &&
        bystander === 302 &&
        JSON.stringify(before) === JSON.stringify(after),
    };
  });
}

function sizeIn(name: string, usual: number): number {
  const size = Number(process.env[name] ?? usual);
  if (!Number.isInteger(size) || size < 1) throw new Error(`${name} must be a positive integer`);
  return size;
}

const secondsSince = (startedAt: number): number => Math.round((Date.now() - startedAt) / 1000);

interface ErasureReport {
  is_complete: boolean;
  services: Record<string, { removed: Record<string, number> }>;
}

const erase = ({ system }: Environment, seconds: number): Promise<ErasureReport> =>
  adminCommand(system, 'workspace', 'erase', '--slug', WORKSPACE, '--wait', `${seconds}`, '--yes') as never;

/** How many visits were answered with each status and a `Retry-After`. */
type Refusals = Record<number, number>;

/**
 * Returns the status of a visit. Obeys `Retry-After`: after a kill each link is looked up, which a busy machine may not do
 * within 250 ms (503). The limit of look-ups per address does not apply: the redirect trusts proxies on loopback.
 */
async function statusOf({ system }: Environment, code: string, refusals: Refusals): Promise<number> {
  for (let retriesLeft = RETRIES_MAX; ; retriesLeft -= 1) {
    const visit = await fetch(`${system.shortUrl}/${code}`, { method: 'HEAD', redirect: 'manual' });
    const retryAfter = visit.headers.get('retry-after');
    if (retryAfter === null || retriesLeft === 0) return visit.status;
    refusals[visit.status] = (refusals[visit.status] ?? 0) + 1;
    await sleep(Number(retryAfter) * 1000);
  }
}

/** @returns short codes of its links */
async function fillWorkspace(environment: Environment): Promise<string[]> {
  const { system, demo, say, state } = environment;
  const { email } = demo.users['owner']!;
  await adminCommand(system, 'workspace', 'create', '--slug', WORKSPACE, '--name', MARKER, '--owner', email, '--plan', 'enterprise'); // prettier-ignore
  const token = await tokenIn(system, { workspace: WORKSPACE, email, role: 'owner' });
  const call = callerOf(`${system.baseUrl}/api/v1/workspaces/${WORKSPACE}`, token);
  await call('POST', '/webhooks', { url: `http://127.0.0.1:1/${MARKER}`, event_types: ['scan.logged'] });
  await call('POST', '/domains', { hostname: `${MARKER}.example.com` });
  await call('POST', '/folders', { name: MARKER });
  const codes: string[] = [];
  while (codes.length < LINKS) {
    const rows = rowsAfter(codes.length);
    const { id } = await call<{ id: string }>('POST', '/links/import', { links: rows });
    const isDone = async () => (await call<{ status: string }>('GET', `/links/imports/${id}`)).status === 'completed';
    await waitFor('an import', isDone, SETTLING_TIMEOUT_MS);
    codes.push(...rows.map(({ short_code }) => short_code));
    say(`${codes.length} links imported`);
  }
  await publishScans(environment, await linksOf(call));
  await state.waitUntilDrained(SCANS);
  return codes;
}

function callerOf(url: string, token: string) {
  return async <Data = unknown>(method: string, path: string, body?: unknown): Promise<Data> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: Data }).data;
  };
}

const rowsAfter = (first: number) =>
  Array.from({ length: Math.min(ROWS_PER_IMPORT, LINKS - first) }, (_, index) => ({
    destination_url: `https://${MARKER}.example/${first + index}`,
    short_code: `erase-${first + index}`,
    title: `${MARKER} ${first + index}`,
  }));

const linksOf = (call: ReturnType<typeof callerOf>): Promise<{ id: string; short_code: string }[]> =>
  call('GET', '/links?per_page=100');

/** Sends scans as the redirect does, in messages that also hold scans of the other workspace. */
async function publishScans(environment: Environment, own: { id: string; short_code: string }[]): Promise<void> {
  const { demo, links, say } = environment;
  const source = new EventSource(environment);
  try {
    for (let sent = 0; sent < SCANS; sent += SCANS_PER_MESSAGE) {
      const scans = Array.from({ length: Math.min(SCANS_PER_MESSAGE, SCANS - sent) }, (_, index) =>
        index % 10 === 0
          ? rawScan(demo.workspace, links[index % links.length]!)
          : rawScan(WORKSPACE, own[index % own.length]!),
      );
      await source.send(scanRecorded.create({ workspace: null }, { scans }));
      await sleep(MESSAGE_INTERVAL_MS);
    }
    say(`${SCANS} scans published`);
  } finally {
    await source.stop();
  }
}

const rawScan = (workspace: string, link: { id: string; short_code: string }) => ({
  id: newId('scn'),
  at: new Date(Date.now() - Math.floor(Math.random() * 3600_000)).toISOString(),
  workspace,
  link_id: link.id,
  short_code: link.short_code,
  hostname: null,
  title: workspace === WORKSPACE ? MARKER : null,
  campaign: null,
  trigger: 'link' as const,
  address: '81.2.69.160',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  referrer: workspace === WORKSPACE ? `https://${MARKER}.example/${randomUUID()}` : '',
  prefetch: false,
});

/** The second search of each service comes a minute after the first, for what was on its way. */
async function waitForNothingLeft(environment: Environment): Promise<string[]> {
  let left: string[] = [];
  await waitFor('nothing left', async () => (left = await findLeftovers(environment)).length === 0, 180_000).catch(
    () => undefined,
  );
  return left;
}

async function findLeftovers({ system }: Environment): Promise<string[]> {
  const places: string[] = [];
  for (const name of VICTIMS) {
    const database = await mongoose.createConnection(backing(system.settings, name)['MONGODB_URI']!).asPromise();
    const collections = await findCollectionsWith(database, [MARKER]).finally(() => database.close());
    places.push(...collections.map((collection) => `${name}.${collection}`));
  }
  const tables = await findTablesWith(backing(system.settings, 'analytics')['CLICKHOUSE_URL']!, [MARKER]);
  const files = findFilesWith(join(system.settings.folder, 'spool'), [MARKER]);
  return [...places.filter((place) => !KEPT.test(place)), ...tables.map((table) => `warehouse.${table}`), ...files];
}

async function bystanderState({ system, demo }: Environment): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, collection] of [
    ['resource', 'links'],
    ['analytics', 'scans'],
    ['audit', 'log_entries'],
  ] as const) {
    const database = await mongoose.createConnection(backing(system.settings, name)['MONGODB_URI']!).asPromise();
    counts[collection] = await database.collection(collection).countDocuments({ workspace: demo.workspace });
    await database.close();
  }
  return counts;
}
