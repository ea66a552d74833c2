import type { Interval, Parameters } from '../../api/analytics.js';
import { query, setQuery } from '../../app/router.js';
import { addDays, countDays, isDate, isTimeZone, ownTimeZone, todayIn } from '../../format/dates.js';
import { FILTERED, parameterOf } from './dimensions.js';
import { readList, writeList, type FilterList } from './filter-list.js';

export const PRESETS = ['1', '7', '30', '90'] as const;
export const DEFAULT_PRESET = '30';
export const COMPARISONS = ['previous_period', 'previous_year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The API answers hours for at most 14 days; a chart of more than some hundred points shows nothing. */
const DAYS_MAX: Record<Interval, number> = { hour: 14, day: 370, week: 1830, month: Infinity };
const DAYS_MIN: Record<Interval, number> = { hour: 1, day: 2, week: 14, month: 60 };
const INTERVALS = Object.keys(DAYS_MAX) as Interval[];

export interface Selection {
  /** The days of a range that ends today; absent for one with dates. */
  preset: string | undefined;
  start: string;
  end: string;
  timezone: string;
  compare: Comparison;
  interval: Interval;
  intervals: Interval[];
  hasBots: boolean;
  /** The lists of values by dimension. */
  filters: Record<string, FilterList>;
}

/** What the address of the page selects; a parameter that means nothing is as good as absent. */
export function readSelection(): Selection {
  const params = query.value;
  const zone = params.get('timezone') ?? '';
  const timezone = isTimeZone(zone) ? zone : ownTimeZone();
  const { preset, start, end } = readRange(params, timezone);
  const days = countDays(start, end);
  const intervals = INTERVALS.filter((name) => days <= DAYS_MAX[name] && days >= DAYS_MIN[name]);
  const lists = FILTERED.map((dimension) => [dimension, readList(params.get(parameterOf(dimension)!) ?? '')] as const);
  return {
    preset,
    start,
    end,
    timezone,
    compare: COMPARISONS.find((name) => name === params.get('compare')) ?? 'previous_period',
    interval: intervals.find((name) => name === params.get('interval')) ?? defaultInterval(days),
    intervals,
    hasBots: params.get('include_bots') === 'true',
    filters: Object.fromEntries(lists.filter(([, { values }]) => values.length > 0)),
  };
}

function readRange(params: URLSearchParams, timezone: string): Pick<Selection, 'preset' | 'start' | 'end'> {
  const [from, until] = [params.get('from') ?? '', params.get('until') ?? ''];
  if (isDate(from) && isDate(until) && from <= until) return { preset: undefined, start: from, end: until };
  const preset = PRESETS.find((days) => days === params.get('days')) ?? DEFAULT_PRESET;
  const today = todayIn(timezone);
  return { preset, start: addDays(today, 1 - Number(preset)), end: today };
}

function defaultInterval(days: number): Interval {
  if (days === 1) return 'hour';
  return days <= 100 ? 'day' : days <= 730 ? 'week' : 'month';
}

/** The range and the filters, as every request sends them. */
export function parametersOf({ start, end, timezone, hasBots, filters }: Selection): Parameters {
  const lists = Object.entries(filters).map(([dimension, list]) => [parameterOf(dimension)!, writeList(list)]);
  return {
    start_date: start,
    end_date: end,
    timezone,
    ...(hasBots && { include_bots: 'true' }),
    ...(Object.fromEntries(lists) as Parameters),
  };
}

export const setFilter = (dimension: string, list: FilterList | undefined): void =>
  setQuery({ [parameterOf(dimension)!]: list && writeList(list) });

export const clearFilters = (): void =>
  setQuery(Object.fromEntries(FILTERED.map((dimension) => [parameterOf(dimension)!, undefined])));

export const setRange = (start: string, end: string): void =>
  setQuery({ from: start, until: end, days: undefined, interval: undefined });

export const setPreset = (days: string): void =>
  setQuery({
    days: days === DEFAULT_PRESET ? undefined : days,
    from: undefined,
    until: undefined,
    interval: undefined,
  });

/** The address with only this value of a dimension; without the filter where it is the only value already. */
export function addressOfRow(dimension: string, value: string, { filters }: Selection): string {
  const name = parameterOf(dimension)!;
  const params = new URLSearchParams(query.value);
  if (isChosen(filters[dimension], value)) params.delete(name);
  else params.set(name, writeList({ values: [value], isNegated: false }));
  return `?${params.toString()}`;
}

export const isChosen = (list: FilterList | undefined, value: string): boolean =>
  list !== undefined && !list.isNegated && list.values.length === 1 && list.values[0] === value;
