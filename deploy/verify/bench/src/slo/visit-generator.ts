import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { quantile, rounded } from '../figures.js';
import { codeOf, type VisitLoad, type VisitResult } from './visit-load.js';

const TICK_MS = 2;
const CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
const NETWORKS = ['81.2.69', '193.0.6', '91.198.174', '203.104.1', '41.77.2'];

/**
 * An open loop in a process of its own: visits leave at their times, whether or not earlier ones were answered, and their time
 * counts from when they were due, so that a stall delays every visit that falls into it.
 */
async function visitAll({ url, links, perSecond, seconds }: VisitLoad): Promise<VisitResult> {
  const pool = new Pool(url, { connections: CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const latencies: number[] = [];
  const open = new Set<Promise<void>>();
  let failures = 0;
  const visit = async (index: number, dueAt: number) => {
    const path = `/${codeOf(Math.floor(links * Math.random() ** 2))}`;
    try {
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers: headersOf(index) });
      if (statusCode !== 302) failures += 1;
      else latencies.push(performance.now() - dueAt);
      await body.dump();
    } catch {
      failures += 1;
    }
  };
  const startedAt = performance.now();
  for (let sent = 0; sent < perSecond * seconds; await sleep(TICK_MS)) {
    const due = Math.min(perSecond * seconds, ((performance.now() - startedAt) / 1000) * perSecond);
    for (; sent < due; sent += 1) {
      const call = visit(sent, startedAt + (sent / perSecond) * 1000);
      open.add(call);
      void call.then(() => open.delete(call));
    }
  }
  await Promise.all(open);
  await pool.close();
  const below = (ms: number) => rounded(latencies.filter((each) => each < ms).length / (perSecond * seconds), 5);
  const at = (share: number) => rounded(quantile(latencies, share), 2);
  return {
    visits: perSecond * seconds,
    redirects: latencies.length,
    failures,
    latency_ms: { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) },
    share_under: { '1 ms': below(1), '5 ms': below(5), '20 ms': below(20) },
  };
}

const headersOf = (index: number) => ({
  'user-agent': `Mozilla/5.0 (X11; Linux x86_64; rv:${120 + (index % 20)}.0) Gecko/20100101 Firefox/${120 + (index % 20)}.0`,
  'accept-language': 'en',
  referer: 'https://news.example.com/',
  'x-forwarded-for': `${NETWORKS[index % NETWORKS.length]}.${index % 250}`,
});

process.once('message', (load: VisitLoad) => {
  void visitAll(load).then((result) => process.send!(result, () => process.exit()));
});
