import type { RetentionStore } from '../retention/retention-store.js';
import type { Selection } from '../selection/selection.js';
import { dateOf } from '../time/local-days.js';
import type { Question } from '../warehouse/query/question.js';

/** Builds the question of a request; it covers only the time for which the workspace keeps scans. */
export async function questionOf(retention: RetentionStore, selection: Selection): Promise<Question> {
  const { workspace, timeZone, days, filters, includeBots } = selection;
  return {
    workspace,
    timeZone,
    firstDate: dateOf(days.firstDay),
    lastDate: dateOf(days.lastDay),
    filters,
    includeBots,
    keptFrom: await retention.keptFrom(workspace),
  };
}
