import { isIP } from 'node:net';
import type { Event } from '@waymark/contract/event';
import { scanRecorded, type RawScan } from '@waymark/contract/events';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Log } from '@waymark/kernel/process/log';
import { enrichScans, type EnrichmentContext } from './enrich-scans.js';
import { publishLoggedScans, type LoggedScanContext } from './announce-scans.js';
import type { Scan } from '../ledger/scan.js';
import { storeScans, type ScanStores } from './store-scans.js';

const MESSAGES_MAX = 20;
/** Collects scans that arrive at a low rate, so that not every one costs a transaction. */
const MESSAGES_WAIT_MS = 200;
/** Limits the size of a transaction; a message (at most 500 scans) is never split. */
const SCANS_PER_TRANSACTION = 2500;

export type IngestContext = EnrichmentContext & ScanStores & LoggedScanContext;
type ScanBatch = Event<{ scans: RawScan[] }>;

/** Counts every recorded scan exactly once, regardless of redeliveries and of the worker. */
export function consumeScans(runtime: ConsumerContext, ctx: IngestContext): void {
  const stored = runtime.metrics.counter(
    'scans_stored_total',
    'Scans stored, already stored, and refused as older than the rows of their workspace',
    ['outcome'],
  );
  const age = runtime.metrics.ageHistogram(
    'scan_age_seconds',
    'From the redirect to the row, of the oldest in a batch',
  );
  startConsumer(runtime, {
    queue: 'analytics.scans',
    events: [scanRecorded],
    batchMax: MESSAGES_MAX,
    batchWaitMs: MESSAGES_WAIT_MS,
    beforeParking: stripAddresses,
    parts: {
      workspacesOf: ({ data }) => data.scans.map(({ workspace }) => workspace),
      without: (event, erased) => ({
        ...event,
        data: { scans: event.data.scans.filter(({ workspace }) => !erased.has(workspace)) },
      }),
    },
    handle: (events) =>
      runPipelined(
        transactionGroups(events),
        (group) => enrichScans(ctx, group),
        async (group, scans) => {
          const { rows, inserted, expired } = await storeScans(ctx, scans);
          stored.inc({ outcome: 'new' }, inserted);
          stored.inc({ outcome: 'expired' }, expired.length);
          stored.inc({ outcome: 'duplicate' }, scans.length - inserted - expired.length);
          if (expired.length > 0) logExpired(runtime.log, expired);
          if (scans.length > 0) age.observe((Date.now() - oldestOf(scans)) / 1000);
          return () => publishLoggedScans(ctx, group, rows);
        },
      ),
  });
}

const LOGGED_MAX = 20;

function logExpired(log: Log, expired: Scan[]): void {
  const workspaces = [...new Set(expired.map(({ workspace }) => workspace))].slice(0, LOGGED_MAX);
  const first = expired.slice(0, LOGGED_MAX).map(({ _id }) => _id);
  log.warn(
    { scans: expired.length, workspaces, first },
    'scans refused that are older than the rows of their workspace',
  );
}

type Step = () => Promise<void>;

/** A pipeline: while the database stores one item, prepares the next and runs the last step of the previous one. */
async function runPipelined<T, P>(
  items: T[],
  prepare: (item: T) => Promise<P>,
  store: (item: T, prepared: P) => Promise<Step>,
): Promise<void> {
  let storing: Promise<Step | void> = Promise.resolve();
  let lastStep: Promise<void> | undefined;
  for (const item of items) {
    const [prepared, next] = await Promise.all([prepare(item), storing, lastStep]);
    storing = store(item, prepared);
    lastStep = next?.();
  }
  const [next] = await Promise.all([storing, lastStep]);
  await next?.();
}

function transactionGroups(events: ScanBatch[]): ScanBatch[][] {
  const groups: ScanBatch[][] = [];
  let size = Infinity;
  for (const event of events) {
    size += event.data.scans.length;
    if (size > SCANS_PER_TRANSACTION) {
      groups.push([]);
      size = event.data.scans.length;
    }
    groups.at(-1)!.push(event);
  }
  return groups;
}

function oldestOf(scans: { scannedAt: Date }[]): number {
  return scans.reduce((oldest, { scannedAt }) => Math.min(oldest, scannedAt.getTime()), Infinity);
}

/** Removes visitors' IP addresses from a message that is parked (dead-lettered), even if it is malformed. */
export function stripAddresses(body: Buffer): Buffer {
  const text = body.toString('utf8');
  try {
    const stripped: unknown = JSON.parse(text, (key, value: unknown) => (isAddress(key, value) ? '' : value));
    return Buffer.from(JSON.stringify(stripped));
  } catch {
    return Buffer.from(text.replaceAll(IP_ADDRESS, ''));
  }
}

function isAddress(key: string, value: unknown): boolean {
  return key === 'address' || (typeof value === 'string' && isIP(value) !== 0);
}

/** Matches text that looks like an IP address, for messages that are not valid JSON. */
const IP_ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}/gi;
