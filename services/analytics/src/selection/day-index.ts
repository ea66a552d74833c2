import type { LocalDays, OffsetPeriod } from '../time/local-days.js';
import { DAY_MS } from '../time/utc-day.js';

/**
 * An aggregation expression: the local day of the time in `field`, counted as in `LocalDays`. It carries the offsets
 * itself, so that the database's own time zone data (which may be older, or lack a zone) does not matter.
 */
export function dayIndexOf(field: string, { periods }: LocalDays): object {
  const last = periods.at(-1)!;
  const branches = periods.slice(0, -1).map((period, index) => ({
    case: { $lt: [field, new Date(dayLastsUntil(period, periods[index + 1]!))] },
    then: period.offsetMs,
  }));
  const offset = branches.length === 0 ? last.offsetMs : { $switch: { branches, default: last.offsetMs } };
  const localMs = { $add: [{ $subtract: [field, new Date(0)] }, offset] };
  return { $floor: { $divide: [localMs, DAY_MS] } };
}

/** A day that has begun goes on when clocks go back over the midnight before it, as in `LocalDays`. */
function dayLastsUntil({ to, offsetMs }: OffsetPeriod, next: OffsetPeriod): number {
  const midnight = Math.floor((to - 1 + offsetMs) / DAY_MS) * DAY_MS;
  return Math.max(to, midnight - next.offsetMs);
}
