const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
/** `auto` is the first language of the browser that there is. */
export type LanguageChoice = Language | 'auto';

const KEY = 'waymark.language';

export function readLanguage(): LanguageChoice {
  try {
    const stored = localStorage.getItem(KEY);
    return LANGUAGES.find((language) => language === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

const isKnown = (language: string): language is Language => (LANGUAGES as readonly string[]).includes(language);

export function currentLanguage(): Language {
  const choice = readLanguage();
  if (choice !== 'auto') return choice;
  const languages = navigator.languages.map((tag) => new Intl.Locale(tag).language);
  return languages.find(isKnown) ?? 'en';
}

/** Loads the page again: its texts are those of the language that it was loaded with. */
export function chooseLanguage(choice: LanguageChoice): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // A browser without storage keeps the language of the browser.
  }
  location.reload();
}
