import { dimension, type Dimension } from '@waymark/contract/analytics';
import { COUNTRIES, DAYS, FIRST_DAY } from './fill.js';

/** Above this number of rows the service estimates visitors, and so does the bare query. */
const EXACT_ROWS_MAX = 5_000_000;
const LAST_DAY = new Date(Date.parse(FIRST_DAY) + (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
export const RANGE = `start_date=${FIRST_DAY}&end_date=${LAST_DAY}`;

/** A question to the service, and the equivalent query on ClickHouse's tables. */
export interface Question {
  path: string;
  /** The expressions to group by, each in a grouping set of its own. */
  sets: readonly string[];
  where?: string;
}

const CROSS = {
  query: 'device=mobile&trigger=qr&campaign=campaign%201',
  where: "device = 'mobile' AND trigger = 'qr' AND campaign = 'campaign 1'",
};
const DAY = 'toDate(at)';
const CONTINENTS = ['NA', 'EU', 'EU', 'EU', 'AS', 'SA', 'AS', 'EU', 'EU', 'EU', 'EU', 'EU', 'NA', 'OC', 'NA'];
const quoted = (values: readonly string[]) => `['${values.join("','")}']`;

/** Dimensions that are not columns of the scans. */
const EXPRESSIONS: Partial<Record<Dimension, string>> = {
  link: 'link_id',
  continent: `transform(toString(country), ${quoted(COUNTRIES.slice(0, CONTINENTS.length))}, ${quoted(CONTINENTS)}, 'unknown')`,
  hour: 'toHour(at)',
  weekday: 'toDayOfWeek(at)',
  tag: 'arrayJoin(tags)',
};
const OF_LINKS: readonly string[] = ['domain', 'folder', EXPRESSIONS.tag!];
const expressionOf = (name: Dimension) => EXPRESSIONS[name] ?? name;
const SEVEN: readonly Dimension[] = ['country', 'city', 'device', 'browser', 'os', 'referrer', 'link'];

/** Common questions, without filters. */
const COMMON: Readonly<Record<string, Question>> = {
  summary: { path: `/summary?${RANGE}`, sets: [DAY, 'device'] },
  seven_breakdowns: {
    path: `/breakdowns?dimensions=${SEVEN.join()}&${RANGE}`,
    sets: SEVEN.map(expressionOf),
  },
  ...Object.fromEntries(
    dimension.options.map((name) => [
      `top_${name}`,
      { path: `/breakdown?dimension=${name}&${RANGE}`, sets: [expressionOf(name)] },
    ]),
  ),
};

const CROSSED = Object.fromEntries(
  ['summary', 'seven_breakdowns', 'top_link'].map((name) => {
    const { path, sets } = COMMON[name]!;
    return [`${name}_crossed`, { path: `${path}&${CROSS.query}`, sets, where: CROSS.where }];
  }),
);

export const QUESTIONS: Readonly<Record<string, Question>> = { ...COMMON, ...CROSSED };
export const isCommon = (name: string): boolean => name in COMMON;

export function bareQuery({ sets, where }: Question, scans: number): string {
  const names = sets.map((expression, index) => `${expression} AS by${index}`);
  const visitors = scans > EXACT_ROWS_MAX ? 'uniqCombined64(14)' : 'uniqExact';
  const join = sets.some((expression) => OF_LINKS.includes(expression))
    ? 'LEFT ANY JOIN links ON link_id = links.id'
    : '';
  return `SELECT ${names.join(', ')}, count() AS scans, ${visitors}(visit) AS visitors
    FROM scans ${join}
    WHERE scans.workspace = {workspace:String} AND NOT is_bot
      AND toDate(at) >= '${FIRST_DAY}' AND toDate(at) <= '${LAST_DAY}' ${where ? `AND ${where}` : ''}
    GROUP BY GROUPING SETS ((), ${sets.map((_, index) => `(by${index})`).join(', ')})
    ORDER BY scans DESC LIMIT 100`;
}
