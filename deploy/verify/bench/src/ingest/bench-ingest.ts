import type { Collection, Connection } from 'mongoose';
import { scanRecorded } from '@waymark/contract/events';
import { waitFor } from '@waymark/testing/wait-for';
import { watchCpu } from '../cpu-time.js';
import { installAnalytics, type AnalyticsInstallation } from '../analytics-installation.js';
import { compareLoaders, type LoaderComparison } from './compare-loaders.js';
import { figuresWhileLoading } from './figures-while-loading.js';
import { sampleScans } from './visits.js';
import { median } from '../figures.js';

const RATIO_MIN = { stored: 0.5, loaded: 0.4 };
const PER_MESSAGE = 500;
const RAW_AT_ONCE = 1000;
/** Polls rarely, because polling takes processor time too. */
const WAITING = { timeoutMs: 120_000, pauseMs: 100 };

interface Round {
  storedPerSecond: number;
  loadedPerSecond: number;
  /** Into a collection with the service's indexes, without which queries could not find the rows. */
  rawPerSecond: number;
  /** Into a collection with an index on the ids only. */
  bareRawPerSecond: number;
  /** Microseconds of processor time for one scan, until it is in the warehouse, of each kind of process. */
  cpuUs: Record<string, number>;
}

/**
 * Compares one analytics process, which takes scans from the queue to the rows and on to the warehouse, with a bare
 * `insertMany` of the same rows into the same database, with the same indexes, in alternating rounds. The process is
 * stopped while a round is published, so that the time begins with a full queue.
 */
export async function benchIngest({ rounds, scans }: { rounds: number; scans: number }): Promise<boolean> {
  const installation = await installAnalytics();
  try {
    await measure(installation, Math.ceil(scans / 4));
    const measured: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      measured.push(await measure(installation, scans));
      console.error(`round ${round}: ${JSON.stringify(rounded(measured.at(-1)!))}`);
    }
    const figures = await figuresWhileLoading(installation, () => loadBacklog(installation, 2 * scans));
    const report = summarize(measured, scans, await compareLoaders(installation, { rounds, scans }));
    const passed = report.passed && figures.passed;
    console.log(JSON.stringify({ ...report, figures, passed }, null, 2));
    return passed;
  } finally {
    await installation.stop();
  }
}

async function measure(installation: AnalyticsInstallation, count: number): Promise<Round> {
  const { analytics, database } = installation;
  const storedBefore = await countNewRows(installation);
  analytics.signal('SIGSTOP');
  const ids = await publish(installation, count);
  const startedAt = performance.now();
  const cpuUsed = watchCpu(installation.pidsOf);
  analytics.signal('SIGCONT');

  await waitUntilStored(installation, storedBefore + count);
  const storedMs = performance.now() - startedAt;
  await waitUntilLoaded(installation);
  const loadedMs = performance.now() - startedAt;

  const cpuUs = cpuUsed(count);

  const rows = await storedRows(installation, ids);
  const perSecond = (ms: number) => (count / ms) * 1000;
  return {
    storedPerSecond: perSecond(storedMs),
    loadedPerSecond: perSecond(loadedMs),
    rawPerSecond: perSecond(await insertRaw(await likeScans(database), rows)),
    bareRawPerSecond: perSecond(await insertRaw(database.collection('bare_rows'), rows)),
    cpuUs,
  };
}

/** Publishes scans faster than the service stores and loads them, and waits until it has. */
async function loadBacklog(installation: AnalyticsInstallation, count: number): Promise<void> {
  const storedBefore = await countNewRows(installation);
  await publish(installation, count);
  await waitUntilStored(installation, storedBefore + count);
  await waitUntilLoaded(installation);
}

const countNewRows = ({ analytics }: AnalyticsInstallation) =>
  analytics.metric('waymark_scans_stored_total', 'outcome="new"');

const waitUntilStored = (installation: AnalyticsInstallation, rows: number) =>
  waitFor('every scan as a row', async () => (await countNewRows(installation)) === rows, WAITING);

function waitUntilLoaded({ database }: AnalyticsInstallation) {
  const pending = database.collection('pending_scans');
  const isEmpty = async () => (await pending.findOne({}, { projection: { _id: 1 } })) === null;
  return waitFor('every scan in the warehouse', isEmpty, WAITING);
}

/** @returns the ids of the scans, in their order */
async function publish({ publisher }: AnalyticsInstallation, count: number): Promise<string[]> {
  const scans = sampleScans(count);
  for (let offset = 0; offset < count; offset += PER_MESSAGE) {
    const event = scanRecorded.create({ workspace: null }, { scans: scans.slice(offset, offset + PER_MESSAGE) });
    await publisher.publish(event.type, event.id, JSON.stringify(event));
  }
  return scans.map(({ id }) => id);
}

async function storedRows({ database }: AnalyticsInstallation, ids: string[]): Promise<object[]> {
  const range = { _id: { $gte: ids[0]!, $lte: ids.at(-1)! } };
  const rows = await database
    .collection('scans')
    .find(range as never)
    .toArray();
  if (rows.length !== ids.length) throw new Error(`${rows.length} of ${ids.length} rows are stored`);
  return rows;
}

async function likeScans(database: Connection): Promise<Collection> {
  const raw = database.collection('raw_rows');
  for (const { key } of await database.collection('scans').indexes()) await raw.createIndex(key);
  return raw;
}

/** @returns milliseconds */
async function insertRaw(collection: Collection, rows: object[]): Promise<number> {
  const startedAt = performance.now();
  for (let offset = 0; offset < rows.length; offset += RAW_AT_ONCE)
    await collection.insertMany(rows.slice(offset, offset + RAW_AT_ONCE));
  return performance.now() - startedAt;
}

function summarize(rounds: Round[], scansPerRound: number, loaders: LoaderComparison) {
  const medianOf = (figure: (round: Round) => number) => median(rounds.map(figure));
  const perSecond = (figure: (round: Round) => number) => Math.round(medianOf(figure));
  const ratio = medianOf((round) => round.storedPerSecond / round.rawPerSecond);
  const untilLoaded = medianOf((round) => round.loadedPerSecond / round.rawPerSecond);
  return {
    benchmark: 'ingest',
    scans_per_round: scansPerRound,
    stored_per_second: perSecond((round) => round.storedPerSecond),
    loaded_per_second: perSecond((round) => round.loadedPerSecond),
    raw_inserts_per_second: perSecond((round) => round.rawPerSecond),
    raw_inserts_without_index_per_second: perSecond((round) => round.bareRawPerSecond),
    cpu_us_per_scan: cpuPerScan(rounds),
    ratio: Number(ratio.toFixed(2)),
    ratio_until_loaded: Number(untilLoaded.toFixed(2)),
    ratio_without_index: Number(medianOf((round) => round.storedPerSecond / round.bareRawPerSecond).toFixed(2)),
    rounds: rounds.map(rounded),
    loaders,
    targets: RATIO_MIN,
    passed: ratio >= RATIO_MIN.stored && untilLoaded >= RATIO_MIN.loaded && loaders.passed,
  };
}

/** Medians of each kind of process, and of their sum. */
function cpuPerScan(rounds: readonly Round[]): Record<string, number> {
  const names = Object.keys(rounds[0]!.cpuUs);
  const sumOf = ({ cpuUs }: Round) => names.reduce((sum, name) => sum + cpuUs[name]!, 0);
  const each = names.map((name) => [name, Math.round(median(rounds.map(({ cpuUs }) => cpuUs[name]!)))]);
  return { ...(Object.fromEntries(each) as Record<string, number>), all: Math.round(median(rounds.map(sumOf))) };
}

function rounded({ cpuUs, ...figures }: Round) {
  const entries = Object.entries(figures).map(([name, value]: [string, number]) => [name, Math.round(value)]);
  return { ...(Object.fromEntries(entries) as Record<string, number>), cpuUs: cpuPerScan([{ cpuUs } as Round]) };
}
