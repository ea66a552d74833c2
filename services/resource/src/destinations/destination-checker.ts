import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { textOf } from './answer-text.js';

/** A request to the checker has at most this many URLs. */
export const URLS_AT_ONCE = 100;
const TIMEOUT_MS = 2000;
const REASON_LENGTH_MAX = 500;
const HARMFUL = 'The destination was found to be harmful.';

/** What the checker says of a URL; `reason`: why it is blocked, `null` if it is not. */
export interface Verdict {
  reason: string | null;
}

/** The verdicts by URL. One that is missing is not known yet; a URL that an answer leaves out is not blocked. */
export type Verdicts = ReadonlyMap<string, Verdict>;

const answer = z.object({
  results: z
    .array(z.object({ url: z.string(), verdict: z.enum(['ok', 'block']), reason: z.string().nullish() }))
    .max(URLS_AT_ONCE),
});

/** Asks the service of DESTINATION_CHECK_URL about destinations. Its outage never fails a caller: it has no verdicts. */
export class DestinationChecker {
  private readonly agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  private readonly checks;
  private readonly log: Log;

  constructor(
    private readonly url: string,
    { metrics, log, lifecycle }: { metrics: Metrics; log: Log; lifecycle: Lifecycle },
  ) {
    this.log = log;
    this.checks = metrics.counter(
      'destination_checks_total',
      'Requests to DESTINATION_CHECK_URL by outcome: answered, failed',
      ['outcome'],
    );
    lifecycle.onStop('destination checker', () => this.agent.destroy());
  }

  async check(urls: readonly string[]): Promise<Verdicts> {
    const distinct = [...new Set(urls)];
    const chunks = Array.from({ length: Math.ceil(distinct.length / URLS_AT_ONCE) }, (_, index) =>
      distinct.slice(index * URLS_AT_ONCE, (index + 1) * URLS_AT_ONCE),
    );
    const found = await Promise.all(chunks.map((chunk) => this.checkChunk(chunk)));
    return new Map(found.flat());
  }

  private async checkChunk(urls: string[]): Promise<[string, Verdict][]> {
    try {
      const verdicts = await this.ask(urls);
      this.checks.inc({ outcome: 'answered' });
      return verdicts;
    } catch (error) {
      this.checks.inc({ outcome: 'failed' });
      this.log.debug({ err: error }, 'destinations not checked');
      return [];
    }
  }

  private async ask(urls: string[]): Promise<[string, Verdict][]> {
    const { statusCode, body } = await request(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ urls }),
      dispatcher: this.agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await textOf(body);
    if (statusCode !== 200) throw new Error(`the checker answered ${statusCode}`);
    const { results } = answer.parse(JSON.parse(text));
    const blocked = new Map(results.flatMap(({ url, verdict, reason }) => (verdict === 'ok' ? [] : [[url, reason]])));
    return urls.map((url) => [url, { reason: blocked.has(url) ? reasonFor(blocked.get(url)) : null }]);
  }
}

function reasonFor(given: string | null | undefined): string {
  const text = (given ?? '').replace(/\p{C}+/gu, ' ').trim();
  return text === '' ? HARMFUL : text.slice(0, REASON_LENGTH_MAX);
}
