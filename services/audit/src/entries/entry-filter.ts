import { AUDIT_ACTIONS } from '@waymark/contract/audit-actions';
import type { AuditFilters } from '@waymark/contract/audit-logs';
import { firstMomentOf, lastMomentOf, rangeProblems } from '@waymark/contract/date-or-time';
import { EVERY } from '@waymark/contract/common';
import type { Deployment } from '@waymark/contract/deployments';
import { notAllowed, type FieldProblems } from '@waymark/contract/problems';
import type { TimeRange } from './days.js';

export interface EntryFilter extends Partial<TimeRange> {
  action?: string;
  /** The part of the action before the dot; matches every action with this prefix. */
  group?: string;
  /** The id of a user or token, or an e-mail address. */
  actor?: string;
  /** The id of the entry's target. */
  target?: string;
  requestId?: string;
}

export function entryFilter({ request_id: requestId, from, to, ...filters }: AuditFilters): EntryFilter {
  const [action, actor, target] = [filters.action, filters.actor, filters.target].map(givenValue);
  const isGroup = action?.endsWith('.*');
  return {
    ...(action !== undefined && (isGroup ? { group: action.slice(0, -2) } : { action })),
    ...(actor !== undefined && { actor }),
    ...(target !== undefined && { target }),
    ...(requestId !== undefined && { requestId }),
    ...(from !== undefined && { from: firstMomentOf(from) }),
    ...(to !== undefined && { to: lastMomentOf(to) }),
  };
}

const givenValue = (value: string | undefined) => (value === EVERY ? undefined : value);

/** Returns whether the filter matches only few entries and has its own index: neither facets nor day counts cover it. */
export const isNarrow = ({ target, requestId }: EntryFilter): boolean =>
  target !== undefined || requestId !== undefined;

/** Returns the problems that the schema cannot detect: an action unknown to this deployment, or `from` after `to`. */
export function filterProblems(deployment: Deployment, { action, ...range }: AuditFilters): FieldProblems {
  const problems: FieldProblems = rangeProblems(range);
  const actions = AUDIT_ACTIONS[deployment];
  if (action === undefined || actions.includes(action)) return problems;
  return { ...problems, action: [notAllowed('action', actions)] };
}
