const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const FULL_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
/** The forms of a date in HTTP (RFC 9110, 5.6.7), the current one and the two obsolete ones. All are in UTC. */
const HTTP_DATE = new RegExp(
  [
    `^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`,
    `^${FULL_DAY}, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`,
    `^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`,
  ].join('|'),
);

/** Returns the milliseconds of a `Retry-After` header (RFC 9110: seconds or a date), or null if it is neither. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return null;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
