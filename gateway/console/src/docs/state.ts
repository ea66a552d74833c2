import { signal } from '@preact/signals';
import { LANGUAGES, type Language } from './samples.js';

/** The ids of open groups and operations; all are closed at first. */
export const opened = signal<ReadonlySet<string>>(new Set());

export function toggle(id: string): void {
  const isOpen = opened.value.has(id);
  opened.value = new Set(isOpen ? [...opened.value].filter((each) => each !== id) : [...opened.value, id]);
  history.replaceState(null, '', isOpen ? location.pathname : `#${id}`);
}

export function open(...ids: string[]): void {
  opened.value = new Set([...opened.value, ...ids]);
}

const LANGUAGE_KEY = 'waymark.docs.language';

export const language = signal<Language>(readLanguage());

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  try {
    localStorage.setItem(LANGUAGE_KEY, chosen);
  } catch {
    // A browser without storage keeps the choice until the page is closed.
  }
}

function readLanguage(): Language {
  try {
    const stored = localStorage.getItem(LANGUAGE_KEY);
    return (Object.keys(LANGUAGES) as Language[]).find((each) => each === stored) ?? 'curl';
  } catch {
    return 'curl';
  }
}
