import { en } from './en.js';

/** The texts of the chosen language; another language is one file with the same keys. */
export const t = en;
export const LOCALE = 'en-GB';
