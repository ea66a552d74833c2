export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The only thing that the console keeps in web storage. */
const KEY = 'waymark.theme';

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  dataset['switching'] = '';
  applyTheme(theme);
  requestAnimationFrame(() => requestAnimationFrame(() => delete dataset['switching']));
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser without storage keeps the choice until the page is closed.
  }
}
