import { readList } from '@waymark/contract/filter-list';
import { formatInvalid, type FieldProblems } from '@waymark/contract/problems';
import { isLanguage } from '@waymark/visitors/language';
import { isCountry } from '../../enrichment/locations.js';

interface Codes {
  country?: string;
  language?: string;
}

/** The value of scans with an unknown country or language. */
const UNKNOWN = 'unknown';

/** Reports filters with an invalid country or language code, which would match nothing. */
export function checkCodes({ country, language }: Codes): FieldProblems {
  const [noCountry, noLanguage] = [firstInvalid(country, isCountry), firstInvalid(language, isLanguage)];
  return {
    ...(noCountry !== undefined && {
      country: [
        formatInvalid(`country ${quoted(noCountry)}`, 'be unknown or an ISO 3166 code in capital letters, such as DE'),
      ],
    }),
    ...(noLanguage !== undefined && {
      language: [
        formatInvalid(`language ${quoted(noLanguage)}`, 'be unknown or an ISO 639 code in small letters, such as de'),
      ],
    }),
  };
}

const firstInvalid = (list: string | undefined, isCode: (value: string) => boolean): string | undefined =>
  readList(list ?? '')?.values.find((value) => value !== UNKNOWN && !isCode(value));

const SHOWN_MAX = 40;
const quoted = (value: string): string => JSON.stringify(value.slice(0, SHOWN_MAX));
