import { watchCpu } from '../cpu-time.js';
import { installGateway, type Installation } from './installation.js';
import { runLoad, type LoadResult } from '../http-load.js';
import { median, rounded } from '../figures.js';

const CONNECTIONS = 64;
const RATIO_MIN = 0.4;
const RATIO_WANTED = 0.8;

interface Round extends LoadResult {
  /** Microseconds per request, of each kind of process. */
  cpu: Record<string, number>;
}

type Contender = (requests: number) => Promise<Round>;

/**
 * Compares an authenticated, limited GET through our gateway with Express and http-proxy-middleware alone, in front of
 * the same server: one process each, the same load tool and requests, rounds in turn. Auth and the database share the
 * machine with the measured processes.
 */
export async function benchGateway({ rounds, requests }: { rounds: number; requests: number }): Promise<boolean> {
  const installation = await installGateway();
  try {
    const [us, other] = contenders(installation);
    await us(requests / 2);
    await other(requests / 2);
    const [mine, theirs] = await runAlternating([us, other], rounds, requests);
    const load = (url: string) => sendLoad(installation, url, requests);
    const report = summarize(mine, theirs, await installation.profile(load));
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await installation.stop();
  }
}

const sendLoad = ({ callers }: Installation, url: string, amount: number): Promise<LoadResult> => {
  const requests = callers.map(({ workspace, headers }) => ({
    path: `/api/v1/workspaces/${workspace}/links`,
    headers,
  }));
  return runLoad({ url, connections: CONNECTIONS, amount, requests });
};

function contenders(installation: Installation): [Contender, Contender] {
  const { gateway, bare } = installation;
  const contender =
    (url: string, pidsOf: Record<string, () => number[]>): Contender =>
    async (requests) => {
      const cpuUsed = watchCpu(pidsOf);
      const result = await sendLoad(installation, url, requests);
      return { ...result, cpu: cpuUsed(requests) };
    };
  return [contender(gateway.url, gateway.pidsOf), contender(bare.url, { proxy: () => [bare.pid] })];
}

/** Alternates which contender goes first in each round. */
async function runAlternating([us, other]: [Contender, Contender], rounds: number, requests: number) {
  const mine: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const turns = [async () => mine.push(await us(requests)), async () => theirs.push(await other(requests))];
    for (const turn of round % 2 === 1 ? turns : turns.reverse()) await turn();
    const [a, b] = [mine.at(-1)!, theirs.at(-1)!].map((one) => Math.round(rate(one)));
    console.error(`round ${round}: gateway ${a}/s, bare proxy ${b}/s`);
  }
  return [mine, theirs] as const;
}

function summarize(mine: Round[], theirs: Round[], profile: Record<string, number>) {
  const [gateway, bare] = [figures(mine), figures(theirs)];
  const ratio = rounded(gateway.requests_per_second / bare.requests_per_second, 2);
  return {
    benchmark: 'gateway',
    gateway,
    bare_proxy: bare,
    ratio,
    gateway_cpu_percent: profile,
    targets: { ratio: RATIO_MIN, wanted: RATIO_WANTED, short_of_wanted: rounded(Math.max(0, RATIO_WANTED - ratio), 2) },
    passed: ratio >= RATIO_MIN && gateway.refused + gateway.failures + bare.failures === 0,
  };
}

function figures(rounds: Round[]) {
  const middle = (valueOf: (round: Round) => number) => median(rounds.map(valueOf));
  const processes = Object.keys(rounds[0]!.cpu);
  return {
    requests_per_second: rounded(middle(rate)),
    cpu_microseconds_per_request: Object.fromEntries(
      processes.map((name) => [name, rounded(middle(({ cpu }) => cpu[name]!))]),
    ),
    latency_ms: {
      p50: middle(({ latencyMs }) => latencyMs.p50),
      p99: middle(({ latencyMs }) => latencyMs.p99),
    },
    refused: sum(rounds.map(({ refused }) => refused)),
    failures: sum(rounds.map(({ failures }) => failures)),
    rounds: rounds.map((round) => rounded(rate(round))),
  };
}

const rate = ({ passed, seconds }: LoadResult): number => passed / seconds;
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
