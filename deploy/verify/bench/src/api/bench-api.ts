import { watchCpu } from '../cpu-time.js';
import { median, quantile, rounded } from '../figures.js';
import { runLoad, type LoadRequest } from '../http-load.js';
import { callsOf, type Call } from './calls.js';
import { fillWorkspace, insertRaw, type Workspace } from './fill.js';
import { installApi, type Installation } from './installation.js';

const CONNECTIONS = 8;
const SMALL = 1000;
/** A call that is slower than this share of its baseline grows with the workspace, or tells accounts apart. */
const RATIO_MIN = 0.65;
/** Requests of a round, of calls that take seconds. */
const RARE = 2;

interface Row {
  per_second: number;
  p50_ms: number;
  p99_ms: number;
  cpu_us: Record<string, number>;
  baseline?: string;
  /** The rate in relation to that of the baseline. */
  ratio?: number;
}

interface Round {
  perSecond: number;
  p50: number;
  p99: number;
  cpu: Record<string, number>;
}

/** Measures each kind of API call in one running system, in turns with its baseline where there is one. */
export async function benchApi(values: { rounds: number; requests: number; links: number }): Promise<boolean> {
  const installation = await installApi();
  try {
    const [smallOwner, largeOwner] = installation.members as [Workspace['owner'], Workspace['owner']];
    const small = await fillWorkspace(installation, smallOwner, SMALL);
    const cpuUsed = watchCpu(installation.pidsOf);
    const large = await fillWorkspace(installation, largeOwner, values.links);
    const imported = await importRow(installation, large, cpuUsed(values.links));
    const calls: Record<string, Row> = {};
    for (const [name, call] of Object.entries(callsOf([small, large], installation.members))) {
      calls[name] = await measure(installation, call, values);
      console.error(`${name}: ${JSON.stringify(calls[name])}`);
    }
    const tooSlow = Object.keys(calls).filter((name) => (calls[name]!.ratio ?? 1) < RATIO_MIN);
    const report = {
      links: values.links,
      calls: { 'import, a row': imported, ...calls },
      target: { ratio: RATIO_MIN },
    };
    const passed = tooSlow.length === 0;
    console.log(JSON.stringify({ benchmark: 'api', ...report, too_slow: tooSlow, passed }, null, 2));
    return passed;
  } finally {
    await installation.stop();
  }
}

/** Against `insertMany` of the same documents: an import also checks each row, and stores its code, event and progress. */
async function importRow(
  installation: Installation,
  { owner, links, times }: Workspace & { times: number[] },
  cpu: Record<string, number>,
): Promise<Row> {
  const rows = Math.ceil(links / times.length);
  const ratio = (await insertRaw(installation, owner.workspace)) / median(times);
  const round = {
    perSecond: (rows / median(times)) * 1000,
    p50: median(times) / rows,
    p99: quantile(times, 0.99) / rows,
    cpu,
  };
  return { ...summarize([round]), baseline: 'insertMany', ratio: rounded(ratio, 2) };
}

async function measure(
  installation: Installation,
  call: Call,
  { rounds, requests }: { rounds: number; requests: number },
): Promise<Row> {
  const contenders = [call.requests, ...(call.baseline ? [call.baseline.requests] : [])];
  const amount = call.share === 0 ? RARE : Math.ceil(requests * call.share);
  const results = contenders.map((): Round[] => []);
  // The first round warms up compiled code and caches.
  for (let round = 0; round <= rounds; round += 1) {
    const turns = contenders.map((each, index) => async () => {
      const result = await runRound(installation, each, { amount, status: call.status });
      if (round > 0) results[index]!.push(result);
    });
    for (const turn of round % 2 ? turns : turns.toReversed()) await turn();
  }
  const [row, other] = results.map(summarize) as [Row, Row?];
  if (!call.baseline || !other) return row;
  return { ...row, baseline: call.baseline.name, ratio: rounded(row.per_second / other.per_second, 2) };
}

async function runRound(
  { url, pidsOf }: Installation,
  requests: LoadRequest[],
  { amount, status }: { amount: number; status: Call['status'] },
): Promise<Round> {
  const cpuUsed = watchCpu(pidsOf);
  const connections = Math.min(CONNECTIONS, Math.ceil(amount / RARE));
  const result = await runLoad({ url, connections, amount, requests });
  const { [status]: expected, seconds, latencyMs } = result;
  if (expected !== amount) throw new Error(`${requests[0]!.path}: ${JSON.stringify(result)}`);
  return { perSecond: amount / seconds, p50: latencyMs.p50, p99: latencyMs.p99, cpu: cpuUsed(amount) };
}

function summarize(rounds: Round[]): Row {
  const middle = (valueOf: (round: Round) => number, digits = 0) => rounded(median(rounds.map(valueOf)), digits);
  const cpu = Object.keys(rounds[0]!.cpu).map((name) => [name, middle((round) => round.cpu[name]!)]);
  return {
    per_second: middle(({ perSecond }) => perSecond, 1),
    p50_ms: middle(({ p50 }) => p50, 2),
    p99_ms: middle(({ p99 }) => p99, 2),
    cpu_us: Object.fromEntries(cpu) as Record<string, number>,
  };
}
