import { currentLanguage } from '../config/language.js';
import { visitsDe } from './visits-de.js';
import { visitsEn } from './visits-en.js';

/** What visitors of a link get, in the chosen language. */
export const visits = { en: visitsEn, de: visitsDe }[currentLanguage()];
