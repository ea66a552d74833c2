import type { BreakdownRow } from '../../api/analytics.js';
import { isQr } from '../../config/config.js';
import { countryName, languageName } from '../../format/format.js';
import { readableHost } from '../../format/host-names.js';
import { t } from '../../messages/messages.js';
import { catalogue, hasCatalogue } from '../links/catalogue.js';

const words = t.analytics;

/** The dimension of the content: its rows carry a short code and a title. */
const CONTENT = isQr ? 'qr_code' : 'link';

/** The panels of the page; each shows one of its dimensions at a time. */
export const CONTENT_PANEL = [CONTENT, 'campaign', ...(isQr ? [] : ['tag', 'folder'])].filter(isReadable);
export const PANELS = [
  ['country', 'region', 'city'],
  ['device', 'browser', 'os'],
  ['referrer', 'language', ...(isQr ? [] : ['trigger'])],
] as const;
export const TIME_PANEL = ['hour', 'weekday'] as const;
export const DIMENSIONS: readonly string[] = [...CONTENT_PANEL, ...PANELS.flat(), ...TIME_PANEL];

/** Tags and folders are shown by their names, which not every role may list. */
function isReadable(dimension: string): boolean {
  const kind = catalogueOf(dimension);
  return kind === undefined || hasCatalogue(kind);
}

/** The list of the workspace that has the names of a dimension's values. */
export function catalogueOf(dimension: string): 'tags' | 'folders' | undefined {
  return dimension === 'tag' ? 'tags' : dimension === 'folder' ? 'folders' : undefined;
}

/** The parameter that filters by a dimension; hours and weekdays have none. */
export function parameterOf(dimension: string): string | undefined {
  if ((TIME_PANEL as readonly string[]).includes(dimension)) return undefined;
  return ['link', 'qr_code', 'tag', 'folder'].includes(dimension) ? `${dimension}_id` : dimension;
}

/** The dimensions that the page filters by, in the order of their chips. */
export const FILTERED = DIMENSIONS.filter((dimension) => parameterOf(dimension) !== undefined);

/** The name of one value's kind, e.g. on a chip. */
export const nameOf = (dimension: string): string => words.kinds[dimension] ?? titleOf(dimension);

export const titleOf = (dimension: string): string => words.dimensions[dimension] ?? dimension;

/** Returns the text of a value; `rows` describes links and QR codes. */
export function textOf(dimension: string, value: string, rows: readonly BreakdownRow[] = []): string {
  const named = words.values[dimension]?.[value];
  if (named !== undefined) return named;
  if (value === 'unknown') return words.unknown;
  const kind = catalogueOf(dimension);
  if (kind) return catalogue.value[kind]?.find(({ id }) => id === value)?.name ?? value;
  if (dimension === 'country') return countryName(value);
  if (dimension === 'language') return languageName(value);
  if (dimension === CONTENT) return rows.find((row) => row.value === value)?.short_code ?? value;
  return dimension === 'referrer' ? readableHost(value) : value;
}
