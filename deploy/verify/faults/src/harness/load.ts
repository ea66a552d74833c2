import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VisitedLink } from './visited-link.js';

interface Sent {
  mark: string;
  sentAt: number;
  /** Time of the answer, or of the failure. */
  endedAt?: number;
  status?: number;
}

const TIMEOUT_MS = 10_000;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/**
 * Visits links at a fixed rate, independent of the answers (an open loop: a stalled server can't slow its own load
 * down). Each request has a unique referrer, which identifies its stored scan.
 */
export class Load {
  private readonly sent: Sent[] = [];
  private readonly open = new Set<Promise<void>>();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 500 });
  private running?: Promise<void>;
  private stopped = false;

  constructor(
    private readonly shortUrl: string,
    private readonly links: VisitedLink[],
    private readonly perSecond: number,
    private readonly run = Math.random().toString(36).slice(2, 8),
  ) {}

  start(): this {
    this.running = this.loop();
    return this;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.open);
    this.agent.destroy();
  }

  get attempted(): number {
    return this.sent.length;
  }

  /** Marks of the requests that were answered with a redirect. */
  get accepted(): string[] {
    return this.sent.filter(({ status }) => status === 302).map(({ mark }) => mark);
  }

  marks(): Set<string> {
    return new Set(this.sent.map(({ mark }) => mark));
  }

  /** Milliseconds: the slowest answers, and the longest time without an answer. */
  timings() {
    const answered = this.sent.filter(({ status }) => status === 302);
    const latencies = answered.map(({ sentAt, endedAt }) => endedAt! - sentAt).sort((a, b) => a - b);
    const ends = answered.map(({ endedAt }) => endedAt!).sort((a, b) => a - b);
    const quantileAt = (share: number) =>
      round(latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0);
    const gap = ends.reduce((max, end, index) => (index === 0 ? 0 : Math.max(max, end - ends[index - 1]!)), 0);
    return { p50_ms: quantileAt(0.5), p99_ms: quantileAt(0.99), max_gap_ms: round(gap) };
  }

  private async loop(): Promise<void> {
    const startedAt = performance.now();
    while (!this.stopped) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * this.perSecond);
      while (this.sent.length < due && !this.stopped) this.visit();
      await sleep(5);
    }
  }

  private visit(): void {
    const index = this.sent.length;
    const entry: Sent = { mark: `r${index}.${this.run}.example`, sentAt: performance.now() };
    this.sent.push(entry);
    const link = this.links[index % this.links.length]!;
    const visit = new Promise<void>((resolve) => {
      const outgoing = request(
        `${this.shortUrl}/${link.short_code}`,
        {
          agent: this.agent,
          timeout: TIMEOUT_MS,
          headers: {
            'user-agent': AGENT,
            referer: `https://${entry.mark}/`,
            'x-forwarded-for': `198.51.100.${index % 250}`,
          },
        },
        (response) => {
          entry.status = response.statusCode;
          entry.endedAt = performance.now();
          response.resume().on('close', resolve);
        },
      );
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('error', () => {
        entry.endedAt = performance.now();
        resolve();
      });
      outgoing.end();
    });
    this.open.add(visit);
    void visit.then(() => this.open.delete(visit));
  }
}

const round = (ms: number) => Math.round(ms * 10) / 10;
