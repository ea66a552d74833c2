import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { freePorts } from '@waymark/stack/ports';
import type { ManagedProcess } from '@waymark/launcher/managed-process';
import type { System } from '@waymark/launcher/system';
import { waitFor } from '@waymark/testing/wait-for';
import { cpuSeconds } from '../cpu-time.js';
import { runLoad, type LoadResult } from './load.js';

const CONNECTIONS = 64;
const DRAIN_TIMEOUT_MS = 120_000;
/** Headers as a browser sends them. */
const HEADERS = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en',
  'Accept-Encoding': 'gzip, deflate, br',
  Referer: 'https://news.example.com/',
};

export interface Round extends LoadResult {
  requestsPerSecond: number;
  /** All processor time for a request, also after its answer. */
  cpuMicrosPerRequest: number;
}

export interface Contender {
  /** Returns when the server has nothing left to do for the requests. */
  round(requests: number): Promise<Round>;
}

async function measure(
  { pid, urls }: { pid: number; urls: readonly string[] },
  requests: number,
  drain: () => Promise<void>,
): Promise<Round> {
  const before = cpuSeconds(pid);
  const result = await runLoad({ urls, connections: CONNECTIONS, requests, headers: HEADERS });
  await drain();
  return {
    ...result,
    requestsPerSecond: result.redirects / result.seconds,
    cpuMicrosPerRequest: ((cpuSeconds(pid) - before) / requests) * 1e6,
  };
}

/** Our redirect; a round includes shipping its scans, its timed part only those shipped meanwhile. */
export function redirectContender(system: System, urls: readonly string[]): Contender {
  const redirect = system.process('redirect');
  return { round: (requests) => measure({ pid: redirect.pid, urls }, requests, () => spoolEmpty(redirect)) };
}

async function spoolEmpty(redirect: ManagedProcess): Promise<void> {
  const isEmpty = async () => (await redirect.metric('waymark_spool_bytes')) === 0;
  await waitFor('the spool to become empty', isEmpty, { timeoutMs: DRAIN_TIMEOUT_MS, pauseMs: 50 });
}

export async function bareContender(location: string): Promise<Contender & { stop(): void }> {
  const [port] = await freePorts(1);
  const child = fork(join(__dirname, 'bare-server.js'), [String(port), location]);
  await started(child);
  return {
    round: (requests) =>
      measure({ pid: child.pid!, urls: [`http://127.0.0.1:${port}/`] }, requests, () => Promise.resolve()),
    stop: () => void child.kill(),
  };
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the bare server did not start (${code})`)));
  });
}
