import { fork } from 'node:child_process';
import { join } from 'node:path';

export interface Load {
  url: string;
  connections: number;
  /** Sent and answered to the last one, so that nothing is cut off uncounted. */
  requests: number;
  headers: Record<string, string>;
}

export interface LoadResult {
  redirects: number;
  failures: number;
  seconds: number;
  latencyMs: { p50: number; p99: number; max: number };
}

export function runLoad(load: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, 'load-generator.js'));
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('exit', (code) => reject(new Error(`the load generator ended early (${code})`)));
    child.send(load);
  });
}
