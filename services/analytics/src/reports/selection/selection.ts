import {
  analyticsFilters,
  conversionFilters,
  qrAnalyticsFilters,
  type AnalyticsFilters,
  type ConversionSelection,
  type QrAnalyticsFilters,
} from '@waymark/contract/analytics';
import { EVERY } from '@waymark/contract/common';
import { formatList, type FilterList } from '@waymark/contract/filter-list';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import { outOfRange, rangeInvalid, rangeTooLong, type FieldProblems } from '@waymark/contract/problems';
import { dateOfDay, dayNumber, localDate, localDays, type LocalDays } from '../../time/local-days.js';
import type { Filter, FilterName } from '../../warehouse/query/scan-query.js';

const DEFAULT_DAYS = 30;
const DAYS_MAX = 5 * 366;

type AnyFilters = AnalyticsFilters | QrAnalyticsFilters | ConversionSelection;

/** The scans, or the conversions, of a workspace that a request selects. */
export interface Selection {
  workspace: Pick<WorkspaceAccess, 'slug' | 'plan'>;
  timeZone: string;
  days: LocalDays;
  /** All of them must match. */
  filters: readonly Filter[];
  includeBots: boolean;
}

/** The filters by their parameter names; each route uses a subset. */
const PARAMETERS = {
  link_id: 'link',
  qr_code_id: 'link',
  campaign: 'campaign',
  trigger: 'trigger',
  country: 'country',
  region: 'region',
  city: 'city',
  device: 'device',
  browser: 'browser',
  os: 'os',
  language: 'language',
  referrer: 'referrer',
  domain_id: 'domain',
  tag_id: 'tag',
  folder_id: 'folder',
  source: 'source',
} as const satisfies Record<string, FilterName>;
const PARAMETER_NAMES = Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[];

/** Reports a range that ends before it starts, or is too long. */
export function checkRange(query: Dates, now = new Date()): FieldProblems {
  const { start, end } = readDates(query, now);
  const days = dayNumber(end) - dayNumber(start) + 1;
  if (days >= 1 && days <= DAYS_MAX) return {};
  // The end defaults to today, so the problem is in the start that the client sent.
  if (givenDate(query.end_date) === undefined) {
    const bound = days < 1 ? 'not be after today' : 'be at most 5 years ago';
    return { start_date: [outOfRange('start_date', `${bound}, unless an end_date is given`)] };
  }
  return {
    end_date: [
      days < 1
        ? rangeInvalid('end_date', 'not be before the start_date')
        : rangeTooLong('The range must be at most 5 years.', { max: DAYS_MAX }),
    ],
  };
}

const HOURLY_DAYS_MAX = 14;

/** Also limits the range of an hourly trend. */
export function checkTrend({ interval, ...query }: Dates & { interval?: string }, now = new Date()): FieldProblems {
  const problems = checkRange(query, now);
  const { start, end } = readDates(query, now);
  if (interval !== 'hour' || dayNumber(end) - dayNumber(start) < HOURLY_DAYS_MAX) return problems;
  return {
    ...problems,
    interval: [rangeTooLong(`The interval hour is for at most ${HOURLY_DAYS_MAX} days.`, { max: HOURLY_DAYS_MAX })],
  };
}

export function readSelection(workspace: Selection['workspace'], query: AnyFilters, now = new Date()): Selection {
  return {
    workspace,
    timeZone: query.timezone,
    days: readDays(query, now),
    filters: readFilters(query),
    // No bot is recorded as a conversion.
    includeBots: 'include_bots' in query && query.include_bots,
  };
}

function readFilters(query: Partial<Record<keyof typeof PARAMETERS, FilterList>>): Filter[] {
  return PARAMETER_NAMES.flatMap((name) => {
    const list = query[name];
    return list ? [{ name: PARAMETERS[name], ...list }] : [];
  });
}

function readDays(query: AnyFilters, now: Date): LocalDays {
  const { start, end } = readDates(query, now);
  return localDays(query.timezone, start, end);
}

type Dates = Pick<AnalyticsFilters, 'start_date' | 'end_date'> & { timezone?: string };

function readDates(query: Dates, now: Date): { start: string; end: string } {
  const end = givenDate(query.end_date) ?? localDate(query.timezone ?? 'UTC', now);
  const start = givenDate(query.start_date) ?? dateOfDay(dayNumber(end) - DEFAULT_DAYS + 1);
  return { start, end };
}

/** Returns the date that a client gave, `undefined` for the default. */
export function givenDate(day: string | undefined): string | undefined {
  return day === EVERY ? undefined : day;
}

/** Returns the filters for the response, by the parameter names of the links deployment. */
export function appliedFilters(selection: Selection): Record<string, unknown> {
  return { ...listedFilters(selection, analyticsFilters.shape), include_bots: selection.includeBots };
}

export const appliedConversionFilters = (selection: Selection): Record<string, unknown> =>
  listedFilters(selection, conversionFilters.shape);

function listedFilters({ filters }: Selection, shape: object): Record<string, unknown> {
  const listed = PARAMETER_NAMES.filter((name) => name in shape).map((name) => {
    const list = filters.find((filter) => filter.name === PARAMETERS[name]);
    return [name, list ? formatList(list) : EVERY];
  });
  return Object.fromEntries(listed) as Record<string, unknown>;
}

/** Renames them for the QR deployment, which has fewer filters. */
export function qrFilters({ link_id: qrCodeId, ...filters }: Record<string, unknown>): Record<string, unknown> {
  const known = Object.entries(filters).filter(([name]) => name in qrAnalyticsFilters.shape);
  return { qr_code_id: qrCodeId, ...Object.fromEntries(known) };
}
