import autocannon from 'autocannon';
import type { Load, LoadResult } from './load.js';

const SAMPLE_MS = 20;

/** One load, in a process of its own so that every server gets the same fresh tool. */
process.once('message', ({ urls, connections, requests: amount, headers }: Load) => {
  const { origin } = new URL(urls[0]!);
  const requests = urls.map((url) => ({ path: new URL(url).pathname, headers }));
  void autocannon({ url: origin, connections, amount, requests, sampleInt: SAMPLE_MS }).then((result) => {
    const answer: LoadResult = {
      redirects: result['3xx'],
      failures: result.errors + result.timeouts,
      seconds: result.duration,
      latencyMs: { p50: result.latency.p50, p99: result.latency.p99, max: result.latency.max },
    };
    process.send!(answer, () => process.exit());
  });
});
