import type { LocalDays } from '../time/local-days.js';
import { DAY_MS } from '../time/utc-day.js';

/**
 * An aggregation expression: the local day of the time in `field`, counted as in `LocalDays`. It carries the offsets
 * itself, so that the database's own time zone data (which may be older, or lack a zone) does not matter.
 */
export function dayIndexOf(field: string, { periods }: LocalDays): object {
  const last = periods.at(-1)!;
  const branches = periods.slice(0, -1).map(({ to, offsetMs }) => ({
    case: { $lt: [field, new Date(to)] },
    then: offsetMs,
  }));
  const offset = branches.length === 0 ? last.offsetMs : { $switch: { branches, default: last.offsetMs } };
  const localMs = { $add: [{ $subtract: [field, new Date(0)] }, offset] };
  return { $floor: { $divide: [localMs, DAY_MS] } };
}
