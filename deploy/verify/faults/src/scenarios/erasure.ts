import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { scanRecorded } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { backing, PROCESS_NAMES, type ProcessName } from '@waymark/launcher/process-table';
import { findCollectionsWith, findFilesWith, findTablesWith } from '@waymark/testing/leftovers';
import { waitFor } from '@waymark/testing/wait-for';
import { createdEntries } from '../harness/created-entries.js';
import { EventSource } from '../harness/event-source.js';
import type { Environment } from '../harness/environment.js';
import { callApi, withEnvironment } from '../harness/environment.js';
import { killAndStart } from '../harness/kill.js';
import type { Report } from '../harness/report.js';
import { adminCommand } from '../harness/admin-command.js';
import { tokenIn } from '../harness/tokens.js';

const LINKS = sizeIn('ERASE_KILL_LINKS', 10_000);
const SCANS = sizeIn('ERASE_KILL_SCANS', 100_000);
const USER_LINKS = 2000;
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
    const { say, links } = environment;
    const codes = await fillWorkspace(environment);
    const before = await bystanderState(environment);
    const startedAt = Date.now();
    await erase(environment, 0);
    const kills = await killEach(environment);
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

/**
 * A member who has made 2,000 links of a workspace is erased while each service is killed twice: their name and address are
 * nowhere, the workspace keeps every link, and its audit log every entry, in a chain that is whole.
 */
export function eraseUserKill(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const userId = await addMember(environment);
    const before = await bystanderState(environment);
    const namedBefore = await findLeftovers(environment);
    const startedAt = Date.now();
    await eraseUser(environment, userId, 0);
    const kills = await killEach(environment);
    const report = await eraseUser(environment, userId, SETTLING_TIMEOUT_MS / 1000);
    const leftovers = await waitForNothingLeft(environment);
    const after = await bystanderState(environment);
    const { data } = await callApi(environment.demo, 'GET', '/audit-logs/verify');
    const { valid, checked } = data as AuditVerdict;
    const redacted = report.services['audit']?.removed['log_entries'] ?? 0;
    return {
      links: USER_LINKS,
      kills,
      seconds: secondsSince(startedAt),
      removed: report.services,
      named_before: namedBefore,
      leftovers,
      chain: { valid, checked },
      workspace: { before, after },
      passed:
        report.is_complete &&
        namedBefore.includes('audit.log_entries') &&
        leftovers.length === 0 &&
        redacted >= USER_LINKS &&
        valid &&
        after['links'] === before['links'] &&
        after['log_entries']! >= before['log_entries']!,
    };
  });
}

/** Adds a member to the demo workspace who signs in and makes links. @returns the id of the user */
async function addMember(environment: Environment): Promise<string> {
  const { system, demo, say } = environment;
  const email = `${MARKER}@example.com`;
  const account = ['--email', email, '--name', `${MARKER} name`];
  const user = (await adminCommand(system, 'auth', 'user', 'create', ...account)) as { id: string; password: string };
  const token = await tokenIn(system, { workspace: demo.workspace, email, role: 'admin' });
  const signIn = callerOf(`${system.baseUrl}/api/v1`, token);
  await signIn('POST', '/session', { email, password: user.password });
  const call = callerOf(`${system.baseUrl}/api/v1/workspaces/${demo.workspace}`, token);
  await importLinks(call, rowsOf('kept', 0, USER_LINKS));
  say(`${await createdEntries(environment, USER_LINKS)} links in the audit log`);
  return user.id;
}

/** @returns the number of kills */
async function killEach({ system }: Environment): Promise<number> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of VICTIMS) {
      await sleep(Math.random() * 500);
      await killAndStart(system.process(name));
    }
  }
  return ROUNDS * VICTIMS.length;
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
  adminCommand(system, 'auth', 'workspace', 'erase', '--slug', WORKSPACE, '--wait', `${seconds}`, '--yes') as never;

const eraseUser = ({ system }: Environment, id: string, seconds: number): Promise<ErasureReport> =>
  adminCommand(system, 'auth', 'user', 'erase', '--id', id, '--wait', `${seconds}`, '--yes') as never;

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
  await adminCommand(system, 'auth', 'workspace', 'create', '--slug', WORKSPACE, '--name', MARKER, '--owner', email, '--plan', 'enterprise'); // prettier-ignore
  const token = await tokenIn(system, { workspace: WORKSPACE, email, role: 'owner' });
  const call = callerOf(`${system.baseUrl}/api/v1/workspaces/${WORKSPACE}`, token);
  await call('POST', '/webhooks', { url: `http://127.0.0.1:65535/${MARKER}`, event_types: ['scan.logged'] });
  await call('POST', '/domains', { hostname: `${MARKER}.example.com` });
  await call('POST', '/folders', { name: MARKER });
  const codes: string[] = [];
  while (codes.length < LINKS) {
    const rows = rowsOf(MARKER, codes.length, Math.min(ROWS_PER_IMPORT, LINKS - codes.length));
    await importLinks(call, rows);
    codes.push(...rows.map(({ short_code }) => short_code));
    say(`${codes.length} links imported`);
  }
  await publishScans(environment, await linksOf(call));
  await state.waitUntilDrained(SCANS);
  return codes;
}

async function importLinks(call: ReturnType<typeof callerOf>, links: ReturnType<typeof rowsOf>): Promise<void> {
  const { id } = await call<{ id: string }>('POST', '/links/import', { links });
  const isDone = async () => (await call<{ status: string }>('GET', `/links/imports/${id}`)).status === 'completed';
  await waitFor('an import', isDone, SETTLING_TIMEOUT_MS);
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

const rowsOf = (text: string, first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    destination_url: `https://${text}.example/${first + index}`,
    short_code: `erase-${first + index}`,
    title: `${text} ${first + index}`,
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
    try {
      const collections = await findCollectionsWith(database, [MARKER]);
      places.push(...collections.map((collection) => `${name}.${collection}`));
    } finally {
      await database.close();
    }
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
