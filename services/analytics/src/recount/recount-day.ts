import type { Transaction } from '@waymark/shared/kernel/database';
import { incrementsOf } from '../rollups/cells.js';
import type { RollupStores } from '../rollups/stores.js';
import { ScanTally } from '../rollups/tally-scans.js';
import { vocabularyId } from '../rollups/vocabulary-store.js';
import { DAY_MS } from '../time/utc-day.js';
import { differencesBetween, type Difference } from './differences.js';

/**
 * Counts the scans of one workspace and UTC day anew, as far as they are counted, and compares. With `repair` what
 * differs is replaced. A day whose rows are no longer kept is left as it is. All of it is one transaction: what is
 * counted or stored meanwhile neither disturbs nor is lost.
 */
export async function recountDay(
  stores: RollupStores,
  { workspace, day, repair }: { workspace: string; day: number; repair: boolean },
  { session }: Transaction,
): Promise<{ scans: number; differences: Difference[] }> {
  const keptFrom = await stores.retention.keptFrom(workspace, session);
  if (keptFrom && day * DAY_MS < keptFrom.getTime()) return { scans: 0, differences: [] };
  const uncounted = await stores.uncounted.idsBefore(new Date((day + 1) * DAY_MS), session);
  const vocabularies = await stores.vocabularies.load([vocabularyId(workspace, day)], session);
  const tally = new ScanTally(vocabularies);
  let scans = 0;
  for await (const scan of stores.scans.ofDay(workspace, day, session)) {
    if (uncounted.has(scan._id)) continue;
    tally.add(scan);
    scans += 1;
  }
  const { days, visitors } = tally.result();
  const differences = differencesBetween(await stores.cells.ofDay(workspace, day, session), days.flatMap(incrementsOf));
  if (repair && differences.length > 0) {
    await stores.cells.removeDay(workspace, day, session);
    await stores.cells.add(days, session);
    await stores.visitorDays.replaceDay(workspace, day, visitors, session);
    await stores.vocabularies.save(vocabularies, session);
  }
  return { scans, differences };
}
