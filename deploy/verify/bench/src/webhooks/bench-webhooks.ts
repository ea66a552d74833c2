import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runGenerator } from '../run-load.js';
import type { BareLoad, BareResult } from './bare-sender.js';
import { Installation, SAMPLE_LINK } from './installation.js';
import { ReceiverControl, type Received } from './receiver-control.js';
import { median, rounded } from '../figures.js';

const ENDPOINTS = 10;
/** The service's limit for one endpoint. */
const AT_ONCE_EACH = 10;
const RATIO_MIN = 0.4;
const UNDISTURBED_MIN = 0.9;
/** A steady load far below what the service can send, to as many endpoints as a workspace may have. */
const STEADY = { endpoints: 20, eventsPerSecond: 10, seconds: 15 };

/**
 * Compares deliveries from a stored backlog, signed, checked and recorded, with a bare undici loop to the same
 * receiver; then nine endpoints beside a tenth that never answers with the nine alone. Rounds in turn, medians
 * compared. Last, the CPU time of one delivery under a steady load, where hardly any two are handled together.
 */
export async function benchWebhooks({ rounds, events }: { rounds: number; events: number }): Promise<boolean> {
  const installation = await Installation.open();
  const receiver = await ReceiverControl.start();
  const bench = new Bench(installation, receiver, events);
  try {
    await bench.ours(ENDPOINTS);
    const mine: Run[] = [];
    const bare: Run[] = [];
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      mine.push(await bench.ours(ENDPOINTS));
      bare.push(await bench.bare(ENDPOINTS));
      alone.push((await bench.ours(ENDPOINTS - 1)).perSecond);
      beside.push((await bench.ours(ENDPOINTS - 1, '/hang')).perSecond);
      const rates = [...[mine, bare].map((runs) => runs.at(-1)!.perSecond), alone.at(-1)!, beside.at(-1)!];
      const [a, b, c, d] = rates.map(Math.round);
      console.error(`round ${round}: ours ${a}/s, bare ${b}/s; nine alone ${c}/s, beside one that hangs ${d}/s`);
    }
    const endToEnd = await bench.endToEnd(ENDPOINTS);
    const report = { ...summarize({ mine, bare, alone, beside }, endToEnd), steady_load: await bench.steady() };
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    receiver.stop();
    await installation.stop();
  }
}

interface Run {
  /** The rate at the receiver, from the first delivery to the last. */
  perSecond: number;
  /** Processor time of the sending process only: more reliable than the rate on a machine with other load. */
  cpuMs: number;
}

interface Receivers {
  /** The path of a further endpoint, which is not counted. */
  beside?: string;
  /** The beginning of the other paths. */
  path?: string;
}

class Bench {
  private runs = 0;

  constructor(
    private readonly installation: Installation,
    private readonly receiver: ReceiverControl,
    private readonly events: number,
  ) {}

  /** Deliveries a second to `endpoints`, until the last is recorded; the endpoint `beside` them is not counted. */
  async ours(endpoints: number, beside?: string): Promise<Run> {
    const workspace = await this.subscribe(endpoints, { beside });
    const { installation, events } = this;
    await installation.blockEndpoints(workspace);
    await installation.publishEvents(workspace, events);
    await installation.waitForAttempts(workspace, 'pending', events * (endpoints + (beside ? 1 : 0)));
    return this.measured(workspace, events * endpoints);
  }

  /** Deliveries a second, from the publication of the first event. */
  async endToEnd(endpoints: number): Promise<number> {
    const workspace = await this.subscribe(endpoints);
    const expected = this.events * endpoints;
    const startedAt = Date.now();
    await this.installation.publishEvents(workspace, this.events);
    const { lastAt } = await this.arrived(workspace, expected);
    return expected / ((lastAt - startedAt) / 1000);
  }

  /** The CPU time of a delivery in milliseconds, under a steady load. */
  async steady() {
    const { endpoints, eventsPerSecond, seconds } = STEADY;
    const workspace = await this.subscribe(endpoints, { path: '/later' });
    const expected = endpoints * eventsPerSecond * seconds;
    const before = this.installation.cpuOfAll();
    for (let event = 0; event < eventsPerSecond * seconds; event += 1) {
      await this.installation.publishEvents(workspace, 1);
      await sleep(1000 / eventsPerSecond);
    }
    await this.arrived(workspace, expected);
    const after = this.installation.cpuOfAll();
    const msPerDelivery = (name: keyof typeof before) => rounded(((after[name] - before[name]) * 1000) / expected, 2);
    return { webhook_cpu_ms: msPerDelivery('webhook'), database_cpu_ms: msPerDelivery('database') };
  }

  async bare(endpoints: number): Promise<Run> {
    await this.receiver.reset();
    const requests = this.events * endpoints;
    const { cpuSeconds } = await runGenerator<BareLoad, BareResult>(join(__dirname, 'bare-sender.js'), {
      urls: Array.from({ length: endpoints }, (_, index) => this.receiver.at(`/bare/${index}`)),
      requests,
      atOnce: endpoints * AT_ONCE_EACH,
      body: JSON.stringify({ id: 'evt_01KEXAMPLE', type: 'link.updated', data: { link: SAMPLE_LINK } }),
    });
    const { perSecond } = await this.receiver.received(requests);
    return { perSecond, cpuMs: (cpuSeconds * 1000) / requests };
  }

  private async subscribe(endpoints: number, { beside, path = '' }: Receivers = {}): Promise<string> {
    await this.receiver.reset();
    const workspace = `run-${(this.runs += 1)}`;
    for (let index = 0; index < endpoints; index += 1) {
      await this.installation.subscribe(workspace, this.receiver.at(`${path}/${workspace}/${index}`));
    }
    if (beside) await this.installation.subscribe(workspace, this.receiver.at(`${beside}/${workspace}`));
    return workspace;
  }

  /** Measures a backlog from its release. */
  private async measured(workspace: string, expected: number): Promise<Run> {
    const cpuBefore = this.installation.cpuSeconds();
    await this.installation.releaseEndpoints(workspace);
    const { perSecond } = await this.arrived(workspace, expected);
    const cpuMs = ((this.installation.cpuSeconds() - cpuBefore) * 1000) / expected;
    return { perSecond, cpuMs };
  }

  /**
   * Polls the receiver, not the database, which is busy; at the end every delivery must be recorded. A failed delivery
   * is retried after a pause, so with one there would be no meaningful rate.
   */
  private async arrived(workspace: string, expected: number): Promise<Received> {
    const arrived = await this.receiver.received(expected);
    await this.installation.waitForAttempts(workspace, 'succeeded', expected);
    if (arrived.received !== expected) throw new Error(`${arrived.received} deliveries arrived instead of ${expected}`);
    const failed = await this.installation.countFailed(workspace);
    if (failed > 0) throw new Error(`${failed} attempts failed`);
    return arrived;
  }
}

function summarize(runs: { mine: Run[]; bare: Run[]; alone: number[]; beside: number[] }, endToEnd: number) {
  const rates = { ...runs, mine: runs.mine.map(perSecond), bare: runs.bare.map(perSecond) };
  const [mine, bare, alone, beside] = [
    median(rates.mine),
    median(rates.bare),
    median(rates.alone),
    median(rates.beside),
  ];
  const [mineCpu, bareCpu] = [median(runs.mine.map(cpuMs)), median(runs.bare.map(cpuMs))];
  const ratio = rounded(mine / bare, 2);
  const undisturbed = rounded(beside / alone, 2);
  return {
    benchmark: 'webhooks',
    deliveries_per_second: { ours: rounded(mine), bare: rounded(bare), end_to_end: rounded(endToEnd) },
    ratio,
    sender_cpu_ms_per_delivery: { ours: rounded(mineCpu, 3), bare: rounded(bareCpu, 3) },
    sender_cpu_ratio: rounded(bareCpu / mineCpu, 2),
    nine_endpoints_per_second: { alone: rounded(alone), beside_one_that_hangs: rounded(beside) },
    undisturbed,
    rounds: Object.fromEntries(Object.entries(rates).map(([name, values]) => [name, values.map((v) => rounded(v))])),
    targets: { ratio: RATIO_MIN, undisturbed: UNDISTURBED_MIN },
    passed: ratio >= RATIO_MIN && undisturbed >= UNDISTURBED_MIN,
  };
}

const perSecond = (run: Run): number => run.perSecond;
const cpuMs = (run: Run): number => run.cpuMs;
