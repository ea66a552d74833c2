import { join } from 'node:path';
import { runGenerator } from './run-load.js';

export interface LoadRequest {
  method?: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Load {
  url: string;
  connections: number;
  /** The load ends once this number of requests is answered. */
  amount: number;
  /** At least one for each connection. */
  requests: LoadRequest[];
}

export interface LoadResult {
  passed: number;
  refused: number;
  failures: number;
  seconds: number;
  latencyMs: { p50: number; p99: number; max: number };
}

export const runLoad = (load: Load): Promise<LoadResult> =>
  runGenerator<Load, LoadResult>(join(__dirname, 'http-load-generator.js'), load);
