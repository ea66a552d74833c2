import { parseArgs } from 'node:util';
import { dimension } from '@waymark/shared/contract/analytics';
import { installAnalytics, type AnalyticsInstallation } from '../analytics-installation.js';
import { DAYS, fill, FIRST_DAY } from './fill.js';
import { quantile, rounded } from '../figures.js';
import { measureExport } from './measure-export.js';

/** On two quiet cores, at a million scans. */
const P95_MAX_MS = 300;
const WARM_UP = 5;
const GROWTH_MAX_MB = 100;
const SHARE_OF_LAST = [0.01, 0.1, 1];
const RANGE = `start_date=${FIRST_DAY}&end_date=${new Date(Date.parse(FIRST_DAY) + (DAYS - 1) * 86_400_000).toISOString().slice(0, 10)}`;
const QUERIES: Readonly<Record<string, string>> = {
  summary: `/summary?${RANGE}`,
  ...Object.fromEntries(dimension.options.map((name) => [name, `/breakdown?dimension=${name}&${RANGE}`])),
};

type Times = Map<string, number[]>;

/**
 * How long figures of 30 days take in workspaces of 10,000, 100,000 and 1,000,000 scans: query by query in turn, so that
 * what else the machine does meets all of them alike. Then all scans of the largest as CSV.
 */
export async function benchAnalytics(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '60' }, scans: { type: 'string', default: '1000000' } },
  });
  const [rounds, most] = [Number(values.rounds), Number(values.scans)];
  const installation = await installAnalytics();
  try {
    const sizes = SHARE_OF_LAST.map((share) => Math.round(most * share));
    for (const size of sizes) await fill(installation, nameOf(size), size);
    const times = await ask(installation, sizes, rounds);
    console.error(`exporting ${most} rows`);
    const csv = await measureExport(installation, nameOf(most), `${RANGE}&include_bots=true`);
    const report = summarize(times, sizes, csv);
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await installation.stop();
  }
}

const nameOf = (size: number): string => `scans-${size}`;

/** Milliseconds by query and size. */
async function ask({ caller }: AnalyticsInstallation, sizes: number[], rounds: number): Promise<Map<number, Times>> {
  const times = new Map(sizes.map((size) => [size, new Map<string, number[]>()]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [name, path] of Object.entries(QUERIES)) {
      for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
        const startedAt = performance.now();
        const { status, text } = await caller.call('GET', `/analytics${path}`, { workspace: nameOf(size) });
        if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
        if (round >= 0) note(times.get(size)!, name, performance.now() - startedAt);
      }
    }
  }
  return times;
}

function note(times: Times, name: string, ms: number): void {
  const known = times.get(name);
  if (known) known.push(ms);
  else times.set(name, [ms]);
}

function summarize(times: Map<number, Times>, sizes: number[], csv: Awaited<ReturnType<typeof measureExport>>) {
  const [least, most] = [sizes[0]!, sizes.at(-1)!];
  const queries = Object.keys(QUERIES).map((name) => {
    const of = sizes.map((size) => [size, figures(times.get(size)!.get(name)!)] as const);
    const ratioOf = (figure: 'p50_ms' | 'p95_ms') => rounded(of.at(-1)![1][figure] / of[0]![1][figure], 2);
    const ratios = { p50_ratio: ratioOf('p50_ms'), p95_ratio: ratioOf('p95_ms') };
    return { query: name, ...Object.fromEntries(of), ...ratios, worst_p95_ms: of.at(-1)![1].p95_ms };
  });
  const growth = csv.rss_peak_mb - csv.rss_before_mb;
  return {
    benchmark: 'analytics',
    ratio_of: `time at ${most} to time at ${least} scans`,
    queries,
    export: { ...csv, rss_growth_mb: growth },
    targets: { p95_ms: P95_MAX_MS, rss_growth_mb: GROWTH_MAX_MB },
    passed: queries.every((query) => query.worst_p95_ms <= P95_MAX_MS) && csv.rows === most && growth <= GROWTH_MAX_MB,
  };
}

function figures(times: number[]): { p50_ms: number; p95_ms: number } {
  const at = (share: number) => rounded(quantile(times, share), 2);
  return { p50_ms: at(0.5), p95_ms: at(0.95) };
}
