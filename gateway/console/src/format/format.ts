import { LOCALE } from '../messages/messages.js';
import { readableHost } from './host-names.js';

const whole = new Intl.NumberFormat(LOCALE);
export const formatNumber = (value: number): string => whole.format(value);

const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
export const formatShare = (value: number): string => percent.format(value);

const decimal = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
export const formatDecimal = (value: number): string => decimal.format(value);

export const formatMoney = (value: number, currency: string): string =>
  new Intl.NumberFormat(LOCALE, { style: 'currency', currency }).format(value);

const day = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });
const time = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The day, with its year unless it is this one. */
export function formatDay(value: string | number | Date): string {
  const date = new Date(value);
  return (date.getFullYear() === new Date().getFullYear() ? day : dayAndYear).format(date);
}
export const formatTime = (value: string | number): string => time.format(new Date(value));
export const formatClock = (value: string | number): string => clock.format(new Date(value));
export const formatMoment = (value: string | number): string => `${formatDay(value)}, ${formatTime(value)}`;

const localDay = (date: Date): string => date.toDateString();
/** The time for today, otherwise the day. */
export const formatRecent = (value: string): string =>
  localDay(new Date(value)) === localDay(new Date()) ? formatTime(value) : formatDay(value);

/** A calendar date (`2026-09-11`), which has no time zone. */
const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: 'UTC' });
const shortDate = utc({ day: 'numeric', month: 'short' });
const longDate = utc({ weekday: 'short', day: 'numeric', month: 'long' });
export const formatDate = (date: string): string => shortDate.format(new Date(date));
export const formatLongDate = (date: string): string => longDate.format(new Date(date));

const month = utc({ month: 'short', year: 'numeric' });
const longMonth = utc({ month: 'long', year: 'numeric' });
export const formatMonth = (date: string): string => month.format(new Date(date));
export const formatLongMonth = (date: string): string => longMonth.format(new Date(date));
const dated = utc({ day: 'numeric', month: 'short', year: 'numeric' });
/** Both ends of a range of dates, with what they share once. */
export const formatDates = (start: string, end: string): string =>
  (start.slice(0, 4) === String(new Date().getFullYear()) && start.slice(0, 4) === end.slice(0, 4)
    ? shortDate
    : dated
  ).formatRange(new Date(start), new Date(end));

const ZONED = {
  time: { hour: '2-digit', minute: '2-digit' },
  moment: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
const ZONED_FORMATS_MAX = 20;
const zonedFormats = new Map<string, Intl.DateTimeFormat>();

/** A chart formats hundreds of moments: creating a format for each would take longer than drawing it. */
function zoned(kind: keyof typeof ZONED, timeZone: string): Intl.DateTimeFormat {
  const key = `${kind} ${timeZone}`;
  const known = zonedFormats.get(key);
  if (known) return known;
  if (zonedFormats.size >= ZONED_FORMATS_MAX) zonedFormats.clear();
  const created = new Intl.DateTimeFormat(LOCALE, { ...ZONED[kind], timeZone });
  zonedFormats.set(key, created);
  return created;
}
/** The time of day in a time zone. */
export const formatTimeIn = (moment: string, timeZone: string): string =>
  zoned('time', timeZone).format(new Date(moment));
export const formatMomentIn = (moment: string, timeZone: string): string =>
  zoned('moment', timeZone).format(new Date(moment));

/** The name of a day of the week; 1 is Monday. 1 January 2024 was one. */
const weekday = utc({ weekday: 'long' });
export const formatWeekday = (number: number): string => weekday.format(Date.UTC(2024, 0, number));

const regions = new Intl.DisplayNames(LOCALE, { type: 'region', fallback: 'code' });
const languages = new Intl.DisplayNames(LOCALE, { type: 'language', fallback: 'code' });
const named = (names: Intl.DisplayNames, code: string): string => {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
};
export const countryName = (code: string): string => named(regions, code);
export const languageName = (code: string): string => named(languages, code);

/** A destination without its scheme, as a person reads it. */
export function withoutScheme(url: string): string {
  const text = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const host = /^[^/?#]*/.exec(text)![0];
  return readableHost(host) + text.slice(host.length);
}

/** Whether the text is a colour such as `#0f5c48`. */
export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);
