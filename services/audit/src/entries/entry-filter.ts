import type { z } from 'zod';
import type { auditFilters } from '@waymark/shared/contract/audit-logs';
import { invalid } from '@waymark/shared/kernel/errors';

const DAY_MS = 24 * 3600 * 1000;

export interface EntryFilter {
  action?: string;
  /** The part before the dot, for every action of it. */
  group?: string;
  /** The id of a user or token, or an e-mail address. */
  actor?: string;
  /** Both inclusive. */
  from?: Date;
  to?: Date;
}

/** @throws AppError `validation_failed` when the range ends before it starts. */
export function entryFilter({ action, actor, from, to }: z.output<typeof auditFilters>): EntryFilter {
  const range = { from: from === undefined ? undefined : new Date(from), to: to === undefined ? undefined : endOf(to) };
  if (range.from && range.to && range.from > range.to) throw invalid({ from: ['The from must not be after the to.'] });
  const isGroup = action?.endsWith('.*');
  return { ...(isGroup ? { group: action!.slice(0, -2) } : { action }), actor, ...range };
}

/** A time means itself, a date its whole day in UTC. */
function endOf(dateOrTime: string): Date {
  const isDate = !dateOrTime.includes('T');
  return new Date(Date.parse(dateOrTime) + (isDate ? DAY_MS - 1 : 0));
}
