export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Returns the language of the pages that a visitor prefers (RFC 9110, 12.5.4); English without a preference. */
export function languageOf(acceptLanguage = ''): Language {
  let preferred: Language = LANGUAGES[0];
  let highest = 0;
  for (const range of acceptLanguage.split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = LANGUAGES.find((each) => tag === each || tag.startsWith(`${each}-`));
    const quality = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1);
    if (!language || !(quality > highest)) continue;
    preferred = language;
    highest = quality;
  }
  return preferred;
}
