import type { RetentionStore } from '../../retention/retention-store.js';
import type { Selection } from './selection.js';
import { dateOfDay } from '../../time/local-days.js';
import type { ScanQuery } from '../../warehouse/query/scan-query.js';

/** Builds the query of a request; it covers only the time for which the workspace keeps scans. */
export async function scanQueryOf(retention: RetentionStore, selection: Selection): Promise<ScanQuery> {
  const { workspace, timeZone, days, filters, includeBots } = selection;
  return {
    workspace,
    timeZone,
    firstDate: dateOfDay(days.firstDay),
    lastDate: dateOfDay(days.lastDay),
    filters,
    includeBots,
    keptFrom: await retention.keptFrom(workspace),
  };
}
