import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { dimension } from '@waymark/contract/analytics';
import type { ServiceAnswer, ServiceCaller } from '@waymark/testing/service-caller';
import type { AnalyticsInstallation } from '../analytics-installation.js';
import { quantile, rounded } from '../figures.js';
import { fill } from './fill.js';
import { QUESTIONS, RANGE } from './questions.js';

const WORKSPACE = 'bystander';
const SCANS = 10_000;
const PAUSE_MS = 100;
const ASKED = [QUESTIONS['summary']!, QUESTIONS['seven_breakdowns']!, QUESTIONS['summary_crossed']!];
/** As many as one workspace may run at a time. */
const HEAVY_AT_ONCE = 3;
const HEAVY_PATH = `/analytics/breakdowns?dimensions=${dimension.options.join()}&limit=100&${RANGE}`;

/** A small workspace that asks for its figures while something else keeps ClickHouse busy. */
export class Bystander {
  constructor(private readonly caller: ServiceCaller) {}

  fill(installation: AnalyticsInstallation, warehouse: ClickHouseClient): Promise<void> {
    return fill(installation, warehouse, { workspace: WORKSPACE, scans: SCANS });
  }

  /** Asks one question after the other until the work has ended. */
  async measureBeside(work: () => Promise<unknown>) {
    let hasEnded = false;
    const working = work().finally(() => (hasEnded = true));
    const times: number[] = [];
    let refused = 0;
    for (let index = 0; !hasEnded; index += 1) {
      const startedAt = performance.now();
      const { path } = ASKED[index % ASKED.length]!;
      const { status } = await this.caller.call('GET', `/analytics${path}`, { workspace: WORKSPACE });
      if (status === 200) times.push(performance.now() - startedAt);
      else refused += 1;
      await sleep(PAUSE_MS);
    }
    await working;
    return { answered: times.length, refused, p50_ms: quantileOf(times, 0.5), p95_ms: quantileOf(times, 0.95) };
  }
}

const quantileOf = (times: number[], share: number) =>
  times.length === 0 ? undefined : rounded(quantile(times, share), 1);

/**
 * Sends queries that group by every dimension. In a large workspace they run out of their limits: each must be answered,
 * or refused with what would narrow it, and the bystander must get its figures meanwhile.
 */
export async function measureHeavyQueries({ caller }: AnalyticsInstallation, bystander: Bystander, workspace: string) {
  let answers: ServiceAnswer[] = [];
  const beside = await bystander.measureBeside(async () => {
    const heavy = () => caller.call('GET', HEAVY_PATH, { workspace });
    answers = await Promise.all(Array.from({ length: HEAVY_AT_ONCE }, heavy));
  });
  const answered = answers.filter(({ status }) => status === 200).length;
  const refused = answers.filter(isNarrowable).length;
  return {
    answered,
    refused_with_narrow: refused,
    other: answers.filter(({ status }) => status !== 200 && status !== 422).map(({ status }) => status),
    bystander: beside,
    passed: answered + refused === HEAVY_AT_ONCE && beside.refused === 0,
  };
}

function isNarrowable({ status, body }: ServiceAnswer): boolean {
  const { error } = (body ?? {}) as { error?: { details: { narrow?: unknown } } };
  return status === 422 && Array.isArray(error?.details.narrow);
}
