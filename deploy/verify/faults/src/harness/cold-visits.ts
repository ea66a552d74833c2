import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, type Environment } from './environment.js';

const EVERY_MS = 500;
/** A visitor that got a 503 tries again: a link must be reachable this long after it was created. */
const ANSWER_WITHIN_MS = 15_000;

/** Creates links and visits each at once: the redirect has to ask for a link before it has heard of it. */
export class ColdVisits {
  private isStopped = false;
  private running?: Promise<void>;
  private readonly visits = new Set<Promise<void>>();
  private readonly counts = { cold_visits: 0, cold_first_failed: 0, cold_unanswered: 0, cold_slowest_ms: 0 };

  constructor(private readonly environment: Environment) {}

  start(): this {
    this.running = this.run();
    return this;
  }

  async stop(): Promise<Record<string, number>> {
    this.isStopped = true;
    await this.running;
    await Promise.all(this.visits);
    return this.counts;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const visit = this.createAndVisit().finally(() => this.visits.delete(visit));
      this.visits.add(visit);
      await sleep(EVERY_MS);
    }
  }

  private async createAndVisit(): Promise<void> {
    const { data } = await callApi(this.environment.demo, 'POST', '/links', {
      destination_url: 'https://example.com/cold',
    });
    const url = `${this.environment.system.shortUrl}/${(data as { short_code: string }).short_code}`;
    // HEAD is never stored as a scan: only the visits of the load are.
    const visit = () => fetch(url, { method: 'HEAD', redirect: 'manual' });
    const startedAt = Date.now();
    this.counts.cold_visits += 1;
    for (let attempt = 0; ; attempt += 1) {
      const status = await visit().then(
        (response) => response.status,
        () => 0,
      );
      const tookMs = Date.now() - startedAt;
      if (status === 302) {
        this.counts.cold_slowest_ms = Math.max(this.counts.cold_slowest_ms, tookMs);
        return;
      }
      if (attempt === 0) this.counts.cold_first_failed += 1;
      if (tookMs > ANSWER_WITHIN_MS) {
        this.counts.cold_unanswered += 1;
        return;
      }
      await sleep(250);
    }
  }
}
