import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import mongoose, { type Connection } from 'mongoose';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { WORK_QUEUES } from '@waymark/contract/queues';
import { PROCESS_NAMES } from '@waymark/launcher/process-table';
import { waitUntilReady } from '@waymark/launcher/system';
import type { Report } from '../harness/report.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';

const CHANGES = 40;
const PAGE = 100;
const ENTERED_TIMEOUT_MS = 60_000;

type Row = { _id: never };
/** The rows of each collection, by database and collection. */
type Backup = Map<string, Map<string, Row[]>>;

/** The procedure of docs/operations/operations.md: a consistent backup is restored, and every change has its entry. */
export function restore(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const connection = await mongoose
      .createConnection(environment.system.settings.mongoUri, { maxPoolSize: 5 })
      .asPromise();
    try {
      const before = await createLinks(environment, 'before');
      await stopAll(environment);
      const backup = await takeBackup(environment, connection);
      await startAll(environment);
      const after = await createLinks(environment, 'after');

      await stopAll(environment);
      await restoreBackup(environment, connection, backup);
      await emptyQueues(environment);
      await startAll(environment);
      const again = await createLinks(environment, 'again');
      return await judgeRestore(environment, { before, after, again });
    } finally {
      await connection.close();
    }
  });
}

async function createLinks(environment: Environment, title: string): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const { data } = await callApi(environment.demo, 'POST', '/links', {
      destination_url: 'https://example.com/',
      title,
    });
    ids.push((data as { id: string }).id);
  }
  return ids;
}

const processes = (environment: Environment) => PROCESS_NAMES.map((name) => environment.system.process(name));

async function stopAll(environment: Environment): Promise<void> {
  await Promise.all(processes(environment).map((process) => process.stop()));
}

async function startAll(environment: Environment): Promise<void> {
  await Promise.all(processes(environment).map((process) => process.start()));
  await Promise.all(processes(environment).map(waitUntilReady));
}

const databases = (environment: Environment) =>
  PROCESS_NAMES.filter((name) => name !== 'gateway').map((name) => `${environment.system.settings.namespace}-${name}`);

async function takeBackup(environment: Environment, connection: Connection): Promise<Backup> {
  const backup: Backup = new Map();
  for (const name of databases(environment)) {
    const { db } = connection.useDb(name);
    const collections = new Map<string, Row[]>();
    for (const { name: collection } of await db!.listCollections().toArray())
      collections.set(collection, (await db!.collection(collection).find({}).toArray()) as unknown as Row[]);
    backup.set(name, collections);
  }
  return backup;
}

/** The database of the redirect is a copy: it starts empty, and the redirect refills it by queries. */
async function restoreBackup(environment: Environment, connection: Connection, backup: Backup): Promise<void> {
  for (const [name, collections] of backup) {
    const { db } = connection.useDb(name);
    for (const { name: collection } of await db!.listCollections().toArray())
      await db!.collection(collection).deleteMany({});
    if (name.endsWith('-redirect')) continue;
    for (const [collection, rows] of collections)
      if (rows.length > 0) await db!.collection<Row>(collection).insertMany(rows);
  }
}

/** Purges queues instead of deleting them: a queue that is missing for a while would miss events. */
async function emptyQueues(environment: Environment): Promise<void> {
  const { amqpUrl, namespace } = environment.system.settings;
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  for (const queue of WORK_QUEUES.filter((name) => name !== 'analytics.scans'))
    for (const name of [queue, `${queue}.retry`]) await channel.purgeQueue(`${namespace}.${name}`);
  await connection.close();
}

interface Created {
  before: string[];
  after: string[];
  again: string[];
}

async function judgeRestore(environment: Environment, { before, after, again }: Created): Promise<Report> {
  const expected = [...before, ...again];
  const deadline = Date.now() + ENTERED_TIMEOUT_MS;
  let entered = await enteredLinks(environment);
  while (!expected.every((id) => entered.includes(id)) && Date.now() < deadline) {
    await sleep(1000);
    entered = await enteredLinks(environment);
  }
  const missing = expected.filter((id) => !entered.includes(id)).length;
  const unexpected = after.filter((id) => entered.includes(id)).length;
  const unreachable = (await Promise.all(expected.map((id) => isMissing(environment, id)))).filter(Boolean).length;
  const { data } = await callApi(environment.demo, 'GET', '/audit-logs/verify');
  const { valid, checked } = data as AuditVerdict;
  return {
    attempted: expected.length,
    processed: entered.length,
    missing,
    unexpected,
    unreachable,
    chain_valid: valid,
    chain_checked: checked,
    passed: missing === 0 && unexpected === 0 && unreachable === 0 && valid,
  };
}

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

const isMissing = (environment: Environment, id: string): Promise<boolean> =>
  callApi(environment.demo, 'GET', `/links/${id}`).then(
    () => false,
    () => true,
  );
