import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { ROOT } from '@waymark/launcher/process-table';
import { installAnalytics, type AnalyticsInstallation } from '../analytics-installation.js';
import { cpuSeconds } from '../cpu-time.js';
import { median, quantile, rounded } from '../figures.js';
import { watchMemory } from '../watch-memory.js';
import { Bystander, measureHeavyQueries } from './bystander.js';
import { fill } from './fill.js';
import { measureExport } from './measure-export.js';
import { bareQuery, isCommon, QUESTIONS, RANGE, type Question } from './questions.js';

/** Limits on two idle cores: for common questions, and for questions with several filters. */
const P95_MAX_MS: Readonly<Record<string, { common: number; crossed: number }>> = {
  '1000000': { common: 300, crossed: 300 },
  '20000000': { common: 500, crossed: 2000 },
};
/** A bare query's time divided by ours: shows the cost of the service itself. */
const RATIO_MIN = 0.7;
const RATIO_FROM = 1_000_000;
const WARM_UP = 2;
const ROUNDS_MIN = 3;
const GROWTH_MAX_MB = 100;
const DELAY_MAX_MS = 50;
/** Long enough for a ClickHouse that has crashed to start again. */
const AFTER_FAILURE_MS = 3000;
const EXPORTED = 1_000_000;
const FILL_TIMEOUT_MS = 600_000;
/** Disk space, including a merge that writes parts into a new one. */
const BYTES_PER_SCAN = 200;

interface Times {
  ours: number[];
  bare: number[];
  /** Processor time of the service. */
  cpu: number;
  /** Answers without figures. */
  failures: string[];
}

const noTimes = (): Times => ({ ours: [], bare: [], cpu: 0, failures: [] });

interface Options {
  rounds: number;
  /** Scans of each workspace. */
  sizes: number[];
  /** No further round of a size begins after this time. */
  minutes: number;
}

/**
 * Measures how long figures of 30 days take in workspaces of several sizes, alternating with the same query sent to
 * ClickHouse directly, so that other load on the machine affects both alike. Then exports a million scans as CSV.
 */
export async function benchAnalytics({ rounds, sizes, minutes }: Options): Promise<boolean> {
  checkDisk(sizes);
  const installation = await installAnalytics();
  const warehouse = createClient({ url: installation.env['CLICKHOUSE_URL'], request_timeout: FILL_TIMEOUT_MS });
  const bystander = new Bystander(installation.caller);
  try {
    await bystander.fill(installation, warehouse);
    const results = [];
    for (const scans of sizes) {
      const filled = () => fill(installation, warehouse, { workspace: nameOf(scans), scans });
      const whileLoading = await bystander.measureBeside(filled);
      const measured = await measure(installation, warehouse, scans, { rounds, minutes });
      const heavy = await measureHeavyQueries(installation, bystander, nameOf(scans));
      const isUndisturbed = whileLoading.refused === 0 && heavy.passed;
      const passed = measured.passed && isUndisturbed;
      results.push({ ...measured, bystander_while_loading: whileLoading, heavy_queries: heavy, passed });
    }
    const exported = sizes.includes(EXPORTED) ? await exportOf(installation, EXPORTED) : undefined;
    const passed = results.every((result) => result.passed) && exported?.passed !== false;
    console.log(JSON.stringify({ benchmark: 'analytics', results, export: exported, passed }, null, 2));
    return passed;
  } finally {
    await warehouse.close();
    await installation.stop();
  }
}

const nameOf = (scans: number): string => `scans-${scans}`;

function checkDisk(sizes: readonly number[]): void {
  const { bavail, bsize } = statfsSync(ROOT);
  const needed = sizes.reduce((sum, scans) => sum + scans, 0) * BYTES_PER_SCAN;
  if (bavail * bsize < needed) throw new Error(`not enough disk: ${rounded(needed / 1e9, 1)} GB are needed`);
}

async function exportOf(installation: AnalyticsInstallation, scans: number) {
  const exported = await measureExport(installation, nameOf(scans), `${RANGE}&include_bots=true`);
  const growth = exported.rss_peak_mb - exported.rss_before_mb;
  const isSteady = growth <= GROWTH_MAX_MB && exported.event_loop_delay_max_ms <= DELAY_MAX_MS;
  return { ...exported, rss_growth_mb: growth, passed: isSteady && exported.rows === scans };
}

async function measure(
  installation: AnalyticsInstallation,
  warehouse: ClickHouseClient,
  scans: number,
  { rounds, minutes }: { rounds: number; minutes: number },
) {
  const engine = installation.pidsOf['clickhouse']!;
  const memoryUsed = engine().length === 0 ? undefined : watchMemory(engine);
  const times = new Map(Object.keys(QUESTIONS).map((name): [string, Times] => [name, noTimes()]));
  const endsAt = performance.now() + minutes * 60_000;
  let round = -WARM_UP;
  for (; round < rounds && (round < ROUNDS_MIN || performance.now() < endsAt); round += 1) {
    for (const [name, question] of Object.entries(QUESTIONS)) {
      const kept = round < 0 ? noTimes() : times.get(name)!;
      const turns = [
        () => askService(installation, question, scans, kept),
        () => askEngine(warehouse, question, scans, kept),
      ];
      for (const ask of round % 2 === 0 ? turns : turns.toReversed()) await ask();
    }
  }
  const questions = [...times].map(([name, kept]) => ({ question: name, ...figures(kept) }));
  const memory = memoryUsed?.();
  return {
    scans,
    rounds: round,
    ...summarize(questions, scans),
    engine_rss_peak_mb: memory && rounded(memory.peak),
    questions,
  };
}

async function askService(
  { analytics, caller }: AnalyticsInstallation,
  { path }: Question,
  scans: number,
  kept: Times,
): Promise<void> {
  const [startedAt, cpuBefore] = [performance.now(), cpuSeconds(analytics.pid)];
  const { status, text } = await caller.call('GET', `/analytics${path}`, { workspace: nameOf(scans) });
  if (status !== 200) {
    kept.failures.push(`${status}: ${text}`);
    await sleep(AFTER_FAILURE_MS);
    return;
  }
  kept.ours.push(performance.now() - startedAt);
  kept.cpu += cpuSeconds(analytics.pid) - cpuBefore;
}

async function askEngine(warehouse: ClickHouseClient, question: Question, scans: number, kept: Times): Promise<void> {
  const startedAt = performance.now();
  try {
    const answer = await warehouse.query({
      query: bareQuery(question, scans),
      query_params: { workspace: nameOf(scans) },
      format: 'JSONEachRow',
      clickhouse_settings: { max_threads: 2, max_threads_min_free_memory_per_thread: '0' },
    });
    await answer.json();
    kept.bare.push(performance.now() - startedAt);
  } catch (error) {
    kept.failures.push(`bare query: ${String(error)}`);
    await sleep(AFTER_FAILURE_MS);
  }
}

function figures({ ours, bare, cpu, failures }: Times) {
  if (ours.length === 0 || bare.length === 0) return { p50_ms: null, p95_ms: null, ratio: null, failures };
  const [p50, p95, bareP50] = [quantile(ours, 0.5), quantile(ours, 0.95), quantile(bare, 0.5)];
  return {
    p50_ms: rounded(p50, 1),
    p95_ms: rounded(p95, 1),
    bare_p50_ms: rounded(bareP50, 1),
    ratio: rounded(bareP50 / p50, 2),
    service_cpu_ms: rounded((cpu * 1000) / ours.length, 1),
    ...(failures.length > 0 && { failures }),
  };
}

function summarize(questions: readonly ({ question: string } & ReturnType<typeof figures>)[], scans: number) {
  const worst = (isOf: (name: string) => boolean) =>
    Math.max(...questions.filter(({ question }) => isOf(question)).map(({ p95_ms: p95 }) => p95 ?? Infinity));
  const p95 = { common: worst(isCommon), crossed: worst((name) => !isCommon(name)) };
  const ratio = median(questions.map((question) => question.ratio ?? 0));
  const max = P95_MAX_MS[scans];
  const isFast = !max || (p95.common <= max.common && p95.crossed <= max.crossed);
  const isAnswered = questions.every(({ failures }) => failures === undefined);
  const passed = isAnswered && isFast && (scans < RATIO_FROM || ratio >= RATIO_MIN);
  console.error(`${scans} scans: worst p95 ${p95.common} ms, crossed ${p95.crossed} ms, median ratio ${ratio}`);
  const targets = { p95_ms: max, ratio: scans >= RATIO_FROM ? RATIO_MIN : undefined };
  return { passed, targets, worst_p95_ms: p95, median_ratio: ratio };
}
