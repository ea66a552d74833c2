import type { AuditFilters } from '@waymark/shared/contract/audit-logs';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import { endOf, type Stretch } from './days.js';

export interface EntryFilter extends Partial<Stretch> {
  action?: string;
  /** The part before the dot, for every action of it. */
  group?: string;
  /** The id of a user or token, or an e-mail address. */
  actor?: string;
}

export function entryFilter({ action, actor, from, to }: AuditFilters): EntryFilter {
  const isGroup = action?.endsWith('.*');
  return {
    ...(action !== undefined && (isGroup ? { group: action.slice(0, -2) } : { action })),
    ...(actor !== undefined && { actor }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: lastMomentOf(to) }),
  };
}

/** A time means itself, a date its whole day in UTC. */
function lastMomentOf(dateOrTime: string): Date {
  return dateOrTime.includes('T') ? new Date(dateOrTime) : endOf(dateOrTime);
}

/** What the schema can't know: the two ends of the range together. */
export function checkRange({ query: { from, to } }: { query: { from?: string; to?: string } }): FieldProblems {
  if (from === undefined || to === undefined || new Date(from) <= lastMomentOf(to)) return {};
  return { from: ['The from must not be after the to.'] };
}
