import { countryName } from './format.js';
import { LOCALE } from '../messages/messages.js';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Codes with a name that stand for no country: groups of countries, the unknown one, and names made up for tests. */
const OTHERS = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

/** A code that was replaced by another one stands for that. */
const isCurrent = (code: string): boolean => new Intl.Locale(`und-${code}`).region === code;

/** Returns the ISO 3166 codes of all countries with their names, by name. */
export function listCountries(): [code: string, name: string][] {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return codes
    .filter((code) => !OTHERS.has(code) && isCurrent(code) && countryName(code) !== code)
    .map((code): [string, string] => [code, countryName(code)])
    .sort(([, one], [, other]) => one.localeCompare(other, LOCALE));
}
