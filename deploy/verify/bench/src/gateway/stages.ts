import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';

/** A stage of the gateway's pipeline by the files that its code is in; the innermost such frame of a stack counts. */
const STAGES: [string, RegExp][] = [
  ['authorize', /gateway\/dist\/authorize|node_modules\/undici|contract\/authorize|node_modules\/zod/],
  ['sign identity', /kernel\/dist\/http\/identity|node_modules\/(jsonwebtoken|jws|jwa)/],
  ['proxy', /gateway\/dist\/proxy|node_modules\/(http-proxy-middleware|httpxy)/],
  ['log and metrics', /request-log|request-context|node_modules\/(pino|prom-client|sonic-boom|on-finished)/],
  ['guard', /gateway\/dist\/pipeline|kernel\/http\/access/],
  ['routing', /node_modules\/(express|router|path-to-regexp|parseurl)|kernel\/http\/router/],
];

/** The share of each in the processor time of a profile, in percent. */
export function stageShares(file: string): Record<string, number> {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile;
  const stageOf = stagesByNode(profile);
  const micros: Record<string, number> = {};
  profile.samples!.forEach((id, index) => {
    const stage = stageOf.get(id)!;
    micros[stage] = (micros[stage] ?? 0) + profile.timeDeltas![index]!;
  });
  delete micros['idle'];
  const total = Object.values(micros).reduce((sum, value) => sum + value, 0);
  const shares = Object.entries(micros).map(([stage, value]) => [stage, Number(((value / total) * 100).toFixed(1))]);
  return Object.fromEntries(shares.sort(([, a], [, b]) => Number(b) - Number(a))) as Record<string, number>;
}

function stagesByNode({ nodes }: Profiler.Profile): Map<number, string> {
  const stages = new Map<number, string>();
  // Parents come before their children.
  const inherited = new Map<number, string>();
  for (const { id, callFrame, children } of nodes) {
    const stage = ownStage(callFrame) ?? inherited.get(id) ?? 'node: HTTP, streams, timers';
    stages.set(id, stage);
    for (const child of children ?? []) inherited.set(child, stage);
  }
  return stages;
}

function ownStage({ functionName, url }: Profiler.Profile['nodes'][number]['callFrame']): string | undefined {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native: system calls';
  return STAGES.find(([, files]) => files.test(url))?.[0];
}
