import autocannon from 'autocannon';
import type { Load, LoadResult } from './http-load.js';

const SAMPLE_MS = 20;
/** The verification of a long audit log takes a while. */
const TIMEOUT_SECONDS = 300;

/** One load, in a process of its own; each connection sends its own share of the requests, again and again. */
process.once('message', ({ url, connections, amount, requests }: Load) => {
  let client = 0;
  const run = autocannon({
    url,
    connections,
    amount,
    sampleInt: SAMPLE_MS,
    timeout: TIMEOUT_SECONDS,
    setupClient: (one) => {
      one.setRequests(requests.filter((_, index) => index % connections === client));
      client += 1;
    },
  });
  void run.then((result) => {
    const answer: LoadResult = {
      passed: result['2xx'],
      refused: result['4xx'],
      failures: result.errors + result.timeouts + result['5xx'],
      seconds: result.duration,
      latencyMs: { p50: result.latency.p50, p99: result.latency.p99, max: result.latency.max },
    };
    process.send!(answer, () => process.exit());
  });
});
