import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { PROCESS_NAMES } from '@waymark/launcher/process-table';
import { waitUntilReady } from '@waymark/launcher/system';
import { adminCommand, warehouseDifferences } from '../harness/admin-command.js';
import type { Report } from '../harness/report.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';
import { Load } from '../harness/load.js';
import { settle } from '../harness/settle.js';
import type { VisitedLink } from '../harness/visited-link.js';

const CHANGES = 40;
const VISITS_PER_SECOND = 50;
const VISITS_MS = 4000;
const PAGE = 100;
const SETTLING_TIMEOUT_MS = 180_000;
const BUT_REDIRECT = PROCESS_NAMES.filter((name) => name !== 'redirect');

type Row = { _id: never };
/** The rows of each collection, by database and collection. */
type Backup = Map<string, Map<string, Row[]>>;

/** The created links, and the visits that were answered with a redirect, by when they happened. */
interface History {
  before: VisitedLink[];
  after: VisitedLink[];
  again: VisitedLink[];
  visits: { before: Load; after: Load; meanwhile: Load };
}

/**
 * The procedure of docs/operations/operations.md, step by step: a backup of one moment is restored while visitors are
 * redirected. Everything of the backup is there, and nothing of what came after it but the scans that waited.
 */
export function restore(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const { system, links, state } = environment;
    const connection = await mongoose.createConnection(system.settings.mongoUri, { maxPoolSize: 5 }).asPromise();
    try {
      const before = await createLinks(environment, 'before');
      const visitsBefore = await visitFor(environment, [...links, ...before], VISITS_MS);
      await state.waitUntilDrained(visitsBefore.accepted.length);
      await stopAllButRedirect(environment);
      const backup = await takeBackup(environment, connection);
      await startAllButRedirect(environment);
      const after = await createLinks(environment, 'after');
      const visitsAfter = await visitFor(environment, [...before, ...after], VISITS_MS);

      await stopAllButRedirect(environment);
      const meanwhile = new Load(system.shortUrl, [...before, ...after], VISITS_PER_SECOND).start();
      await restoreBackup(environment, connection, backup);
      await state.wipeWarehouse();
      await purgeQueues(environment);
      await startAllButRedirect(environment);
      await meanwhile.stop();
      const redirect = system.process('redirect');
      await redirect.stop();
      await redirect.start();
      await waitUntilReady(redirect);
      const again = await createLinks(environment, 'again');
      const visits = { before: visitsBefore, after: visitsAfter, meanwhile };
      return await judgeRestore(environment, connection, { before, after, again, visits });
    } finally {
      await connection.close();
    }
  });
}

async function createLinks(environment: Environment, title: string): Promise<VisitedLink[]> {
  const links: VisitedLink[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const body = { destination_url: 'https://example.com/', title };
    links.push((await callApi(environment.demo, 'POST', '/links', body)).data as VisitedLink);
  }
  return links;
}

async function visitFor({ system }: Environment, links: VisitedLink[], forMs: number): Promise<Load> {
  const load = new Load(system.shortUrl, links, VISITS_PER_SECOND).start();
  await sleep(forMs);
  await load.stop();
  return load;
}

const stopAllButRedirect = async ({ system }: Environment): Promise<void> =>
  void (await Promise.all(BUT_REDIRECT.map((name) => system.process(name).stop())));

async function startAllButRedirect({ system }: Environment): Promise<void> {
  const processes = BUT_REDIRECT.map((name) => system.process(name));
  await Promise.all(processes.map((process) => process.start()));
  await Promise.all(processes.map(waitUntilReady));
}

const databaseOf = ({ system }: Environment, connection: Connection, name: string) =>
  connection.useDb(`${system.settings.namespace}-${name}`).db!;

async function takeBackup(environment: Environment, connection: Connection): Promise<Backup> {
  const backup: Backup = new Map();
  for (const name of BUT_REDIRECT.filter((each) => each !== 'gateway')) {
    const database = databaseOf(environment, connection, name);
    const collections = new Map<string, Row[]>();
    for (const { name: collection } of await database.listCollections().toArray())
      collections.set(collection, (await database.collection(collection).find({}).toArray()) as unknown as Row[]);
    backup.set(name, collections);
  }
  return backup;
}

/** Restores the databases of the backup, and drops the redirect's under its running process. */
async function restoreBackup(environment: Environment, connection: Connection, backup: Backup): Promise<void> {
  for (const [name, collections] of backup) {
    const database = databaseOf(environment, connection, name);
    for (const { name: collection } of await database.listCollections().toArray())
      await database.collection(collection).deleteMany({});
    for (const [collection, rows] of collections)
      if (rows.length > 0) await database.collection<Row>(collection).insertMany(rows);
  }
  await databaseOf(environment, connection, 'redirect').dropDatabase();
}

/** Purges each queue but those of the scans: retries, parked messages and questions too. */
async function purgeQueues({ stack, system }: Environment): Promise<void> {
  const { namespace } = system.settings;
  const list = await stack.broker!.ctl('list_queues', '-q', '--no-table-headers', 'name');
  const queues = list.split('\n').map((line) => line.trim());
  for (const queue of queues)
    if (queue.startsWith(`${namespace}.`) && !queue.startsWith(`${namespace}.analytics.scans`))
      await stack.broker!.ctl('purge_queue', queue);
}

async function judgeRestore(
  environment: Environment,
  connection: Connection,
  { before, after, again, visits }: History,
): Promise<Report> {
  const { state } = environment;
  const expected = [...before, ...again].map(({ id }) => id);
  const kept = [...visits.before.accepted, ...visits.meanwhile.accepted];
  let entered: string[] = [];
  const isComplete = async () => {
    entered = await enteredLinks(environment);
    const stored = await state.scansByMark();
    const isLoaded = (await state.scansStored()) === (await state.scansLoaded().catch(() => -1));
    return isLoaded && expected.every((id) => entered.includes(id)) && kept.every((mark) => stored.has(mark));
  };
  await settle(isComplete, SETTLING_TIMEOUT_MS);
  // Counts of links follow the stored scans.
  await settle(async () => (await miscountedLinks(environment, connection)) === 0, SETTLING_TIMEOUT_MS);
  const stored = await state.scansByMark();
  const all = new Set(Object.values(visits).flatMap((load) => [...load.marks()]));
  const { data } = await callApi(environment.demo, 'GET', '/audit-logs/verify');
  const { valid, checked } = data as AuditVerdict;
  const problems = {
    missing_entries: expected.filter((id) => !entered.includes(id)).length,
    surplus_entries: after.filter(({ id }) => entered.includes(id)).length,
    missing_links: (await statusesOf(environment, expected)).filter((status) => status !== 200).length,
    surplus_links: (await statusesOf(environment, idsOf(after))).filter((status) => status !== 404).length,
    wrong_redirects: await wrongRedirects(environment, [...before, ...again], after),
    unanswered_visits: visits.meanwhile.attempted - visits.meanwhile.accepted.length,
    lost_scans: kept.filter((mark) => !stored.has(mark)).length,
    doubled_scans: [...stored.values()].filter((count) => count > 1).length,
    unexpected_scans: [...stored.keys()].filter((mark) => !all.has(mark)).length,
    miscounted_links: await miscountedLinks(environment, connection),
    wrong_counters: await wrongCounters(environment),
    warehouse_differences: await warehouseDifferences(environment.system, environment.demo.workspace),
  };
  return {
    attempted: expected.length,
    processed: entered.length,
    visits_meanwhile: visits.meanwhile.accepted.length,
    scans_of_backup: visits.before.accepted.length,
    scans_stored: await state.scansStored(),
    ...problems,
    chain_valid: valid,
    chain_checked: checked,
    passed: valid && Object.values(problems).every((count) => count === 0),
  };
}

const idsOf = (links: VisitedLink[]): string[] => links.map(({ id }) => id);

/** Returns the links whose creation is in the audit log. */
async function enteredLinks(environment: Environment): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await callApi(
      environment.demo,
      'GET',
      `/audit-logs?action=link.created&per_page=${PAGE}&page=${page}`,
    );
    const entries = data as { target: { id: string } | null }[];
    ids.push(...entries.flatMap(({ target }) => target?.id ?? []));
    if (entries.length < PAGE) return ids;
  }
}

async function statusesOf({ demo }: Environment, ids: string[]): Promise<number[]> {
  const headers = { authorization: `Bearer ${demo.users['owner']!.token}` };
  const url = `${demo.base_url}/api/v1/workspaces/${demo.workspace}/links`;
  const statuses: number[] = [];
  for (const id of ids) {
    const response = await fetch(`${url}/${id}`, { headers });
    await response.body?.cancel();
    statuses.push(response.status);
  }
  return statuses;
}

/** Counts codes that do not redirect although their link exists, and those that do although it does not. */
async function wrongRedirects({ system }: Environment, existing: VisitedLink[], gone: VisitedLink[]): Promise<number> {
  const statusOf = async ({ short_code: code }: VisitedLink) => {
    // HEAD is no scan.
    const response = await fetch(`${system.shortUrl}/${code}`, { method: 'HEAD', redirect: 'manual' });
    return response.status;
  };
  let wrong = 0;
  for (const link of existing) if ((await statusOf(link)) !== 302) wrong += 1;
  for (const link of gone) if ((await statusOf(link)) !== 404) wrong += 1;
  return wrong;
}

/** Counts links whose own number of scans is not that of the stored scans. */
async function miscountedLinks(environment: Environment, connection: Connection): Promise<number> {
  const scans = databaseOf(environment, connection, 'analytics').collection('scans');
  const counts = await scans.aggregate([{ $group: { _id: '$linkId', count: { $sum: 1 } } }]).toArray();
  const byLink = new Map(counts.map(({ _id, count }) => [_id as string, count as number]));
  const links = databaseOf(environment, connection, 'resource').collection<{ _id: string; scansCount?: number }>(
    'links',
  );
  const rows = await links.find({}, { projection: { scansCount: 1 } }).toArray();
  return rows.filter(({ _id, scansCount }) => (scansCount ?? 0) !== (byLink.get(_id) ?? 0)).length;
}

/** Counts the counters that `recount` had to correct. */
async function wrongCounters({ system, demo }: Environment): Promise<number> {
  const report = await adminCommand(system, 'resource', 'recount', '--workspace', demo.workspace);
  return Object.values(report as object).reduce<number>((sum, value) => {
    if (typeof value === 'number') return sum + value;
    const { from, to } = (value ?? {}) as { from?: number; to?: number };
    return from === to ? sum : sum + 1;
  }, 0);
}
