import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Caller } from './callers.js';

export interface Load {
  url: string;
  connections: number;
  requests: number;
  callers: Caller[];
}

export interface LoadResult {
  passed: number;
  refused: number;
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
