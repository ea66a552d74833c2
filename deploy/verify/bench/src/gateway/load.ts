import { join } from 'node:path';
import { runGenerator } from '../run-load.js';
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

export const runLoad = (load: Load): Promise<LoadResult> =>
  runGenerator<Load, LoadResult>(join(__dirname, 'load-generator.js'), load);
