import { dimension } from '@waymark/shared/contract/analytics';
import { DAYS, FIRST_DAY } from './fill.js';

/** Above so many rows the service estimates visitors, and so does the bare query. */
const EXACT_ROWS_MAX = 5_000_000;
const LAST_DAY = new Date(Date.parse(FIRST_DAY) + (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
export const RANGE = `start_date=${FIRST_DAY}&end_date=${LAST_DAY}`;

/** A question to the service, and a query as somebody would write it who asks ClickHouse for the same figures. */
export interface Question {
  path: string;
  /** What `GROUP BY` and the conditions are, beside the workspace and the range. */
  bare: { sets: string; where?: string };
}

const CROSS = {
  query: 'device=mobile&trigger=qr&campaign=campaign%201',
  where: "device = 'mobile' AND trigger = 'qr' AND campaign = 'campaign 1'",
};

export const QUESTIONS: Readonly<Record<string, Question>> = {
  summary: { path: `/summary?${RANGE}`, bare: { sets: '(), (toDate(at)), (device)' } },
  summary_filtered: {
    path: `/summary?${RANGE}&${CROSS.query}`,
    bare: { sets: '(), (toDate(at)), (device)', where: CROSS.where },
  },
  ...Object.fromEntries(
    dimension.options.map((name) => [
      name,
      { path: `/breakdown?dimension=${name}&${RANGE}`, bare: { sets: `(${name})` } },
    ]),
  ),
};

export function bareQuery({ bare: { sets, where } }: Question, scans: number): string {
  const columns = [...new Set(sets.match(/toDate\(at\)|[a-z_]+/g))];
  const visitors = scans > EXACT_ROWS_MAX ? 'uniqCombined64' : 'uniqExact';
  return `SELECT ${[...columns, ''].join(', ')}count() AS scans, ${visitors}(cityHash64(toDate(at), visitor)) AS visitors
    FROM scans
    WHERE workspace = {workspace:String} AND NOT is_bot
      AND toDate(at) >= '${FIRST_DAY}' AND toDate(at) <= '${LAST_DAY}' ${where ? `AND ${where}` : ''}
    GROUP BY GROUPING SETS (${sets})
    ORDER BY scans DESC LIMIT 100`;
}
