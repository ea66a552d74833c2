import type { TriedVisit } from '../../api/explain.js';
import { fromLocalText } from '../../format/points-in-time.js';

/** Browsers and programs as they name themselves. */
export const USER_AGENTS = {
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  search: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  whatsapp: 'WhatsApp/2.23.20.0',
} as const;
export type Device = keyof typeof USER_AGENTS;

/** The fields of the form as texts. */
export interface TriedValues {
  /** Path and parameters behind the short URL. */
  behind: string;
  device: Device;
  country: string;
  language: string;
  /** In the time zone of the browser. */
  at: string;
}

export const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'tr', 'uk', 'ar', 'hi', 'ja', 'ko', 'zh'];

export function visitOf(shortUrl: string, { behind, device, country, language, at }: TriedValues): TriedVisit {
  return {
    url: shortUrl + separated(behind.trim()),
    user_agent: USER_AGENTS[device],
    ...(country && { country }),
    ...(language && { language }),
    ...(at && { at: fromLocalText(at) }),
  };
}

/** A text without a separator at its beginning is a path. */
const separated = (text: string): string => (text === '' || /^[/?#]/.test(text) ? text : `/${text}`);
