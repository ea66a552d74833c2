import { OpenLoop } from './open-loop.js';
import { percentile, send, StatusCounts } from './plain-request.js';

/** A member of another workspace, and the visitors of its links: people that an attack must not disturb. */
export interface BystanderTarget {
  apiUrl: string;
  shortUrl: string;
  workspace: string;
  /** Tokens of several members, used in turn, so that no one exceeds the request limit. */
  tokens: string[];
  codes: string[];
}

export interface Quality {
  requests: number;
  p50_ms: number;
  p99_ms: number;
  /** The slowest, with the second of the phase at which each was answered: a burst shows as neighbours. */
  slowest: { at_s: number; ms: number }[];
  statuses: Readonly<Record<string, number>>;
  /** Answered otherwise than with the wanted status, or not at all. */
  failed: number;
}

export interface Qualities {
  api: Quality;
  visits: Quality;
}

const API_PER_SECOND = 5;
const VISITS_PER_SECOND = 20;
/** Each member makes every kind of call. */
const KINDS_OF_CALLS = 3;
const MEMBER = { 'x-forwarded-for': '203.0.113.10' };

/** Uses the API and visits links at a fixed rate, and measures both. */
export class Bystanders {
  private readonly api = new Measured([200, 201]);
  private readonly visits = new Measured([302]);
  private readonly loops: OpenLoop[];

  constructor(private readonly target: BystanderTarget) {
    this.loops = [
      new OpenLoop(API_PER_SECOND, (index) => this.callApi(index)),
      new OpenLoop(VISITS_PER_SECOND, (index) => this.visit(index)),
    ];
    for (const loop of this.loops) loop.start();
  }

  async stop(): Promise<Qualities> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
    return { api: this.api.quality(), visits: this.visits.quality() };
  }

  /** Lists, reads and creates in turn. */
  private async callApi(index: number): Promise<void> {
    const { apiUrl, workspace, tokens } = this.target;
    const token = tokens[Math.floor(index / KINDS_OF_CALLS) % tokens.length]!;
    const headers = { ...MEMBER, authorization: `Bearer ${token}` };
    const url = `${apiUrl}/api/v1/workspaces/${workspace}`;
    const calls = [
      () => send(`${url}/links?per_page=15`, { headers }),
      () => send(`${url}/analytics/summary`, { headers }),
      () =>
        send(`${url}/links`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ destination_url: `https://example.com/member/${index}` }),
        }),
    ];
    this.api.add(await calls[index % KINDS_OF_CALLS]!());
  }

  private async visit(index: number): Promise<void> {
    const { shortUrl, codes } = this.target;
    const headers = { 'x-forwarded-for': `192.0.2.${index % 250}`, 'user-agent': 'Mozilla/5.0 Firefox/140.0' };
    this.visits.add(await send(`${shortUrl}/${codes[index % codes.length]!}`, { headers }));
  }
}

const SLOWEST = 5;

class Measured {
  private readonly startedAt = performance.now();
  private readonly answered: { at_s: number; ms: number }[] = [];
  private readonly statuses = new StatusCounts();
  private failed = 0;

  constructor(private readonly wanted: readonly number[]) {}

  add({ status, durationMs }: { status: number; durationMs: number }): void {
    const rounded = Math.round(durationMs * 10) / 10;
    this.answered.push({ at_s: Math.round((performance.now() - this.startedAt) / 1000), ms: rounded });
    this.statuses.add(status);
    if (!this.wanted.includes(status)) this.failed += 1;
  }

  quality(): Quality {
    const durations = this.answered.map(({ ms }) => ms);
    return {
      requests: durations.length,
      p50_ms: percentile(durations, 0.5),
      p99_ms: percentile(durations, 0.99),
      slowest: this.answered.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST),
      statuses: this.statuses.all,
      failed: this.failed,
    };
  }
}

const RATIO_MAX = 2;
const DIFFERENCE_MAX_MS = 100;

/** p99 at most twice the undisturbed one, or 100 ms more, and no failed request. */
export function isUndisturbed(before: Quality, during: Quality): boolean {
  const isFast = during.p99_ms <= before.p99_ms * RATIO_MAX || during.p99_ms - before.p99_ms <= DIFFERENCE_MAX_MS;
  return isFast && during.failed === 0;
}
