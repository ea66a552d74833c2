import { parseArgs } from 'node:util';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { installAnalytics, type AnalyticsInstallation } from '../analytics-installation.js';
import { median, quantile, rounded } from '../figures.js';
import { fill } from './fill.js';
import { measureExport } from './measure-export.js';
import { bareQuery, QUESTIONS, RANGE, type Question } from './questions.js';

/** On two quiet cores. */
const P95_MAX_MS: Readonly<Record<string, number>> = { '1000000': 300, '20000000': 2000 };
/** Of a bare query's time to ours: what the service itself costs. */
const RATIO_MIN = 0.7;
const RATIO_FROM = 1_000_000;
const WARM_UP = 2;
const GROWTH_MAX_MB = 100;
const EXPORTED = 1_000_000;
const FILL_TIMEOUT_MS = 600_000;

interface Times {
  ours: number[];
  bare: number[];
}

/**
 * How long figures of 30 days take in workspaces of several sizes, each beside the same question asked of ClickHouse
 * itself, in turn, so that what else the machine does meets both alike. Then a million scans as CSV.
 */
export async function benchAnalytics(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '20' },
      sizes: { type: 'string', default: '10000,1000000,20000000' },
    },
  });
  const sizes = values.sizes.split(',').map(Number);
  const installation = await installAnalytics();
  const warehouse = createClient({ url: installation.env['CLICKHOUSE_URL'], request_timeout: FILL_TIMEOUT_MS });
  try {
    const results = [];
    for (const scans of sizes) {
      await fill(installation, warehouse, { workspace: nameOf(scans), scans });
      results.push(await measure(installation, warehouse, { scans, rounds: Number(values.rounds) }));
    }
    const exported = sizes.includes(EXPORTED)
      ? await measureExport(installation, nameOf(EXPORTED), `${RANGE}&include_bots=true`)
      : undefined;
    const growth = exported ? exported.rss_peak_mb - exported.rss_before_mb : 0;
    const passed =
      results.every((result) => result.passed) && growth <= GROWTH_MAX_MB && (exported?.rows ?? EXPORTED) === EXPORTED;
    console.log(
      JSON.stringify(
        { benchmark: 'analytics', results, export: exported && { ...exported, rss_growth_mb: growth }, passed },
        null,
        2,
      ),
    );
    return passed;
  } finally {
    await warehouse.close();
    await installation.stop();
  }
}

const nameOf = (scans: number): string => `scans-${scans}`;

async function measure(
  { caller }: AnalyticsInstallation,
  warehouse: ClickHouseClient,
  { scans, rounds }: { scans: number; rounds: number },
) {
  const workspace = nameOf(scans);
  const ask = async ({ path }: Question) => {
    const { status, text } = await caller.call('GET', `/analytics${path}`, { workspace });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  };
  const askBare = async (question: Question) => {
    const query = bareQuery(question, scans);
    const answer = await warehouse.query({
      query,
      query_params: { workspace },
      format: 'JSONEachRow',
      clickhouse_settings: { max_threads: 2 },
    });
    await answer.json();
  };
  const times = new Map(Object.keys(QUESTIONS).map((name): [string, Times] => [name, { ours: [], bare: [] }]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [name, question] of Object.entries(QUESTIONS)) {
      const turns = [
        { run: ask, kept: times.get(name)!.ours },
        { run: askBare, kept: times.get(name)!.bare },
      ];
      for (const { run, kept } of round % 2 === 0 ? turns : turns.toReversed()) {
        const startedAt = performance.now();
        await run(question);
        if (round >= 0) kept.push(performance.now() - startedAt);
      }
    }
  }
  const questions = [...times].map(([name, of]) => ({ question: name, ...figures(of) }));
  const worst = Math.max(...questions.map(({ p95_ms: p95 }) => p95));
  const ratio = median(questions.map((question) => question.ratio));
  const targets = { p95_ms: P95_MAX_MS[scans], ratio: scans >= RATIO_FROM ? RATIO_MIN : undefined };
  const passed = worst <= (targets.p95_ms ?? Infinity) && ratio >= (targets.ratio ?? 0);
  console.error(`${scans} scans: worst p95 ${worst} ms, median ratio ${ratio}`);
  return { scans, questions, median_ratio: ratio, worst_p95_ms: worst, targets, passed };
}

function figures({ ours, bare }: Times) {
  const [p50, p95, bareP50] = [quantile(ours, 0.5), quantile(ours, 0.95), quantile(bare, 0.5)];
  return {
    p50_ms: rounded(p50, 1),
    p95_ms: rounded(p95, 1),
    bare_p50_ms: rounded(bareP50, 1),
    ratio: rounded(bareP50 / p50, 2),
  };
}
