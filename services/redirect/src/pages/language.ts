/** The languages of the pages; the first is for visitors who prefer neither. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

const RANGE = /^\s*([a-z]{1,8})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;
/** Browsers send a few ranges. */
const RANGES_MAX = 20;

/** Returns the language of a page by `Accept-Language` (RFC 9110, 12.5.4); the first one of those with the same weight. */
export function languageOf(header: string | undefined): Language {
  let best: { language: Language; weight: number } = { language: LANGUAGES[0], weight: 0 };
  for (const range of (header ?? '').split(',', RANGES_MAX)) {
    const [, tag, q = '1'] = RANGE.exec(range) ?? [];
    const language = LANGUAGES.find((each) => each === tag?.toLowerCase());
    if (language && Number(q) > best.weight) best = { language, weight: Number(q) };
  }
  return best.language;
}
