import { LRUCache } from 'lru-cache';

export const UNKNOWN_LANGUAGE = 'unknown';

const CACHED_MAX = 5000;
const RANGE = /^\s*([a-z]{2,3})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Reads `Accept-Language`; caches the most recent headers. */
export class Languages {
  private readonly cache = new LRUCache<string, string>({ max: CACHED_MAX });

  /** Returns the primary tag of the language that the visitor prefers: `de` of `de-AT,en;q=0.8`. */
  preferredLanguage(header: string): string {
    if (header === '') return UNKNOWN_LANGUAGE;
    let language = this.cache.get(header);
    if (language === undefined) this.cache.set(header, (language = preferredLanguage(header)));
    return language;
  }
}

/** The first one with the highest weight. Skips tags that are no language, because visitors can send any text. */
export function preferredLanguage(header: string): string {
  let best = { language: UNKNOWN_LANGUAGE, weight: 0 };
  for (const range of header.split(',')) {
    const [, tag, q] = RANGE.exec(range) ?? [];
    if (tag === undefined) continue;
    const weight = Number(q ?? 1);
    const language = languageOf(tag);
    if (language !== undefined && weight > best.weight) best = { language, weight };
  }
  return best.language;
}

const PRIMARY = /^[a-z]{2,3}$/;

/** Returns whether scans can have this language: a current tag in lower case. */
export const isLanguage = (tag: string): boolean => PRIMARY.test(tag) && languageOf(tag) === tag;

/** By tag in lower case: there are at most 18,252 of two or three letters, and a visitor can send all of them. */
const languages = new Map<string, string | undefined>();

/** Returns the current tag (`he` for the former `iw`); `undefined` for an unknown language. */
function languageOf(tag: string): string | undefined {
  const key = tag.toLowerCase();
  if (!languages.has(key)) languages.set(key, lookUpLanguage(key));
  return languages.get(key);
}

function lookUpLanguage(tag: string): string | undefined {
  // Some canonical tags have more parts: `sr-Latn` of `sh`.
  const [language] = Intl.getCanonicalLocales(tag)[0]!.split('-');
  return names.of(language!) === undefined ? undefined : language;
}
