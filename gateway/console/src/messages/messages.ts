import { isQr } from '../config/config.js';
import { currentLanguage } from '../config/language.js';
import { en } from './en.js';
import type { Messages } from './texts.js';

/** Another language is loaded before the first page; if that fails, the texts are English. */
async function loadMessages(): Promise<{ texts: Messages; locale: string }> {
  if (currentLanguage() === 'de') {
    try {
      const { german } = await import('./de.js');
      return { texts: german(isQr), locale: 'de-DE' };
    } catch (error) {
      reportError(error);
    }
  }
  return { texts: en, locale: 'en-GB' };
}

const loaded = await loadMessages();

/** The texts of the chosen language. */
export const t = loaded.texts;
export const LOCALE = loaded.locale;
document.documentElement.lang = LOCALE;
