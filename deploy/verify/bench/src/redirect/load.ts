import { join } from 'node:path';
import { runGenerator } from '../run-load.js';

export interface Load {
  /** Of one origin; each connection requests them in turn. */
  urls: readonly string[];
  connections: number;
  /** The load ends once all of them are answered. */
  requests: number;
  headers: Record<string, string>;
}

export interface LoadResult {
  redirects: number;
  failures: number;
  seconds: number;
  latencyMs: { p50: number; p99: number; max: number };
}

export const runLoad = (load: Load): Promise<LoadResult> =>
  runGenerator<Load, LoadResult>(join(__dirname, 'load-generator.js'), load);
