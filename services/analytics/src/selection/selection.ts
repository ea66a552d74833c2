import type { AnalyticsFilters, QrAnalyticsFilters } from '@waymark/shared/contract/analytics';
import { EVERY } from '@waymark/shared/contract/common';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import { dateOf, dayNumber, localDate, localDays, type LocalDays } from '../time/local-days.js';

const DEFAULT_DAYS = 30;
const DAYS_MAX = 5 * 366;

/** Which scans of a workspace a request asks for; an absent part lets all through. */
export interface Selection {
  workspace: string;
  timeZone: string;
  days: LocalDays;
  linkId?: string;
  device?: string;
  campaign?: string;
  trigger?: string;
  includeBots: boolean;
}

/** A range that ends before it starts, or is too long. */
export function checkRange(query: Dates, now = new Date()): FieldProblems {
  const { start, end } = readDates(query, now);
  const days = dayNumber(end) - dayNumber(start) + 1;
  if (days >= 1 && days <= DAYS_MAX) return {};
  // Without an end it is today's: then the start is what was sent.
  if (set(query.end_date) === undefined) {
    const bound = days < 1 ? 'not be after today' : 'be at most 5 years ago';
    return { start_date: [`The start_date must ${bound}, unless an end_date is given.`] };
  }
  return {
    end_date: [days < 1 ? 'The end_date must not be before the start_date.' : 'The range must be at most 5 years.'],
  };
}

export function readSelection(
  workspace: string,
  query: AnalyticsFilters | QrAnalyticsFilters,
  now = new Date(),
): Selection {
  const linkId = 'qr_code_id' in query ? query.qr_code_id : 'link_id' in query ? query.link_id : undefined;
  return {
    workspace,
    timeZone: query.timezone,
    days: readDays(query, now),
    linkId,
    device: query.device,
    campaign: query.campaign,
    trigger: 'trigger' in query ? query.trigger : undefined,
    includeBots: query.include_bots,
  };
}

function readDays(query: AnalyticsFilters | QrAnalyticsFilters, now: Date): LocalDays {
  const { start, end } = readDates(query, now);
  return localDays(query.timezone, start, end);
}

type Dates = Pick<AnalyticsFilters, 'start_date' | 'end_date'> & { timezone?: string };

function readDates(query: Dates, now: Date): { start: string; end: string } {
  const end = set(query.end_date) ?? localDate(query.timezone ?? 'UTC', now);
  const start = set(query.start_date) ?? dateOf(dayNumber(end) - DEFAULT_DAYS + 1);
  return { start, end };
}

function set(day: string | undefined): string | undefined {
  return day === EVERY ? undefined : day;
}

/** The same selection of raw scans and of rollup cells, which name their time differently. */
export function rangeFilter(selection: Selection, timeField: 'scannedAt' | 'at'): Record<string, unknown> {
  const { workspace, days, linkId, device, campaign, trigger, includeBots } = selection;
  return {
    workspace,
    [timeField]: { $gte: days.startsAt, $lt: days.endsAt },
    ...(linkId !== undefined && { linkId }),
    ...(device !== undefined && { device }),
    ...(campaign !== undefined && { campaign }),
    ...(trigger !== undefined && { trigger }),
    ...(!includeBots && { isBot: false }),
  };
}

/** What was asked for, as the answer repeats it. */
export function appliedFilters({ linkId, device, campaign, trigger, includeBots }: Selection) {
  return {
    link_id: linkId ?? 'all',
    device: device ?? 'all',
    campaign: campaign ?? 'all',
    trigger: trigger ?? 'all',
    include_bots: includeBots,
  };
}
