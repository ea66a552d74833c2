import { BATCH_MAX } from '@waymark/audit/collecting/collect-entries';
import { installAudit, type Installation } from './installation.js';
import { QUERIES } from './queries.js';
import { seedLog } from './seed-log.js';
import { quantile, rounded } from '../figures.js';
import { watchMemory } from '../watch-memory.js';

const SMALL = 1000;
/** The number of entries appended as the service appends them, once the long log exists. */
const APPENDED = 20_000;
const RATIO_MAX = 1.5;
/** Garbage that may await collection; the log itself would take a gigabyte. */
const MEMORY_GROWTH_MAX_MB = 250;

/**
 * Reads the list with its filters from a log of a thousand entries and one of a million, in turn from one process; then
 * verifies and exports the whole long log once.
 */
export async function benchAudit({
  entries,
  rounds,
  batch,
}: {
  entries: number;
  rounds: number;
  batch: number;
}): Promise<boolean> {
  const installation = await installAudit();
  try {
    const { stores } = installation;
    await seedLog(stores, 'small', { count: SMALL, batch });
    const seeded = await seedLog(stores, 'large', { count: entries, batch });
    const appended = await seedLog(stores, 'appended', { count: APPENDED, batch: BATCH_MAX });
    const times = await measureLists(installation, rounds, entries);
    const verified = await measureWholeLog(installation, '/verify', (text) => JSON.parse(text) as unknown);
    const exported = await measureWholeLog(installation, '/export', (text) => ({
      rows: text.split('\r\n').length - 2,
    }));
    const report = summarize({ entries, batch }, times, { appended, seeded, verified, exported });
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await installation.stop();
  }
}

type Log = 'small' | 'large';
/** Milliseconds, by question. */
type Times = Record<Log, Record<string, number[]>>;

const LAST_PAGE = 'the last page';

/** Sends each question to both logs in turn; the first round warms up compiled code and caches. */
async function measureLists({ caller }: Installation, rounds: number, entries: number): Promise<Times> {
  const times: Times = { small: {}, large: {} };
  const lengths = { small: SMALL, large: entries };
  for (let round = -1; round < rounds; round += 1) {
    for (const question of [...Object.keys(QUERIES), LAST_PAGE]) {
      for (const log of round % 2 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
        const query = QUERIES[question] ?? `?page=${Math.ceil(lengths[log] / 15)}`;
        const startedAt = performance.now();
        const { status } = await caller.call('GET', `/audit-logs${query}`, { workspace: log });
        if (status !== 200) throw new Error(`${query} answered ${status}`);
        if (round >= 0) (times[log][question] ??= []).push(performance.now() - startedAt);
      }
    }
  }
  return times;
}

/** Sends one request over the whole long log; returns its duration and the peak growth of the process's memory. */
async function measureWholeLog<T>({ audit, caller }: Installation, path: string, read: (text: string) => T) {
  const memoryUsed = watchMemory(() => [audit.pid]);
  const startedAt = performance.now();
  const plan = { name: 'enterprise' as const, activeLinks: null, customDomains: null, entitlements: ['audit_logs.export' as const] }; // prettier-ignore
  const { text } = await caller.call('GET', `/audit-logs${path}`, { workspace: 'large', access: { plan } });
  const { before, peak } = memoryUsed();
  return {
    seconds: rounded((performance.now() - startedAt) / 1000, 1),
    memory_growth_mb: rounded(peak - before),
    result: read(text),
  };
}

type WholeLog<T> = Awaited<ReturnType<typeof measureWholeLog<T>>>;

interface Measured {
  appended: number[];
  seeded: number[];
  verified: WholeLog<unknown>;
  exported: WholeLog<{ rows: number }>;
}

function summarize(
  { entries, batch }: { entries: number; batch: number },
  times: Times,
  { appended, seeded, verified, exported }: Measured,
) {
  // The last page is rarely requested: it is reported separately.
  const all = (log: Record<string, number[]>) => quantiles(Object.keys(QUERIES).flatMap((question) => log[question]!));
  const [small, large] = [all(times.small), all(times.large)];
  const medians = Object.keys(times.small).map((question) => [
    question,
    [times.small, times.large].map((log) => quantiles(log[question]!).p50),
  ]);
  const ratio = rounded(large.p95 / small.p95, 2);
  const isWhole = JSON.stringify(verified.result) === `{"data":{"valid":true,"checked":${entries},"first_break":null}}`;
  const flat = [verified, exported].every((each) => each.memory_growth_mb <= MEMORY_GROWTH_MAX_MB);
  return {
    benchmark: 'audit',
    entries,
    append_as_the_service: { batch: BATCH_MAX, per_second: rounded(mean(appended)), by_tenth: appended },
    append_to_seed: { batch, per_second: rounded(mean(seeded)), by_tenth: seeded },
    list_ms: { of_1000: small, [`of_${entries}`]: large, medians: Object.fromEntries(medians) as unknown },
    p95_ratio: ratio,
    verify: { ...verified, per_second: rounded(entries / verified.seconds) },
    export: { ...exported, per_second: rounded(entries / exported.seconds) },
    targets: { p95_ratio: RATIO_MAX, memory_growth_mb: MEMORY_GROWTH_MAX_MB },
    passed: ratio <= RATIO_MAX && isWhole && flat && exported.result.rows === entries,
  };
}

function quantiles(times: number[]) {
  const quantileOf = (share: number) => rounded(quantile(times, share), 1);
  return { p50: quantileOf(0.5), p95: quantileOf(0.95), max: quantileOf(1) };
}

/** The mean of rates over equal amounts. */
const mean = (rates: number[]): number => rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);
