import { Agent, request } from 'node:http';

export interface PlainRequest {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: Buffer | string;
  timeoutMs?: number;
}

export interface PlainResponse {
  /** 0 when the connection ended without an answer, or the time was up. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Until the last byte. */
  durationMs: number;
}

const TIMEOUT_MS = 15_000;
const TEXT_MAX = 1024 * 1024;
const agent = new Agent({ keepAlive: true, maxSockets: 600 });

/** One request over kept connections; never rejects. */
export function send(url: string, options: PlainRequest = {}): Promise<PlainResponse> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, headers = {}, text = '') =>
      resolve({ status, headers, text, durationMs: performance.now() - startedAt });
    const outgoing = request(url, { agent, method: options.method ?? 'GET', headers: options.headers }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        if (size < TEXT_MAX) chunks.push(chunk);
        size += chunk.length;
      });
      response.on('end', () => end(response.statusCode!, response.headers, Buffer.concat(chunks).toString('utf8')));
      response.on('error', () => end(0));
    });
    outgoing.setTimeout(options.timeoutMs ?? TIMEOUT_MS, () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', () => end(0));
    outgoing.end(options.body);
  });
}

/** Counts how often each status was answered. */
export class StatusCounts {
  private readonly counts: Record<string, number> = {};

  add(status: number): void {
    const key = status === 0 ? 'none' : String(status);
    this.counts[key] = (this.counts[key] ?? 0) + 1;
  }

  get all(): Readonly<Record<string, number>> {
    return this.counts;
  }
}

/** The value below which this share of the numbers lies; 0 for none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Math.round(value * 10) / 10;
}
