import type { Load } from './load.js';
import type { Environment } from './environment.js';
import type { Report } from './report.js';

/** Compares the answers to clients with the stored data, once all queues are empty. */
export async function compareWithAnswers(
  environment: Environment,
  load: Load,
  extra: Record<string, unknown> = {},
): Promise<Report> {
  const accepted = load.accepted;
  const timeToDrain = await environment.state.waitUntilDrained(accepted.length);
  const stored = await environment.state.scansByMark();
  const marks = load.marks();
  const acceptedSet = new Set(accepted);
  const lost = accepted.filter((mark) => !stored.has(mark)).length;
  const doubled = [...stored.values()].filter((count) => count > 1).length;
  // Stored without an answer: the process was killed between the two, and the visitor may have been counted.
  const recovered = [...stored.keys()].filter((mark) => marks.has(mark) && !acceptedSet.has(mark)).length;
  const unexpected = [...stored.keys()].filter((mark) => !marks.has(mark)).length;
  const [scans, loaded, links, parked] = [
    await environment.state.scansStored(),
    await environment.state.scansLoaded(),
    await environment.state.linkScans(),
    await environment.state.queueDepth('analytics.scans.parked'),
  ];
  return {
    attempted: load.attempted,
    accepted: accepted.length,
    processed: stored.size,
    lost,
    recovered,
    stored: scans,
    loaded,
    counted_by_links: links,
    duplicated_effects: doubled + Math.abs(loaded - scans) + Math.abs(links - scans),
    unexpected,
    parked,
    ...load.timings(),
    time_to_drain_s: Math.round(timeToDrain * 10) / 10,
    ...extra,
    passed: lost === 0 && doubled === 0 && unexpected === 0 && loaded === scans && links === scans,
  };
}
