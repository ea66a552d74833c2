import { LOCALE } from '../messages/messages.js';
import { formatMoment, formatTime } from './format.js';

const DAY_MS = 86_400_000;
const MINUTE_TEXT_LENGTH = 'yyyy-mm-ddThh:mm'.length;

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns a point in time as a field for date and time has it, in the time zone of the browser; seconds only if there are any. */
export function toLocalText(time: string | null): string {
  if (time === null) return '';
  const date = new Date(time);
  const day = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const text = `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
  return date.getSeconds() === 0 ? text.slice(0, MINUTE_TEXT_LENGTH) : text;
}

/** Returns the point in time of such a text, for the API; a text that is none stays, so that the API says so. */
export function fromLocalText(text: string): string | null {
  if (text === '') return null;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

const startOfDay = (time: number): number => new Date(time).setHours(0, 0, 0, 0);
const relativeDay = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'long' });

/** Returns a point in time as people say it: `tomorrow 09:00`, `Monday 09:00` within the next days, otherwise with its date. */
export function formatPoint(time: number, now: number): string {
  // A day with a change of the clock has 23 or 25 hours.
  const days = Math.round((startOfDay(time) - startOfDay(now)) / DAY_MS);
  if (days < -1 || days > 6) return formatMoment(time);
  const day = days <= 1 ? relativeDay.format(days, 'day') : weekday.format(time);
  return `${day} ${formatTime(time)}`;
}
