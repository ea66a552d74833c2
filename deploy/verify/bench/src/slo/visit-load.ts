import { join } from 'node:path';
import { runGenerator } from '../run-load.js';

export interface VisitLoad {
  url: string;
  links: number;
  perSecond: number;
  seconds: number;
}

export interface VisitResult {
  visits: number;
  redirects: number;
  /** Visits without a redirect. */
  failures: number;
  /** From the time at which a visit was due to its redirect. */
  latency_ms: { p50: number; p99: number; p999: number; max: number };
  /** Of all visits. */
  share_under: { '1 ms': number; '5 ms': number; '20 ms': number };
}

export const codeOf = (link: number): string => `slo${link}`;

export const visit = (load: VisitLoad): Promise<VisitResult> =>
  runGenerator<VisitLoad, VisitResult>(join(__dirname, 'visit-generator.js'), load);
