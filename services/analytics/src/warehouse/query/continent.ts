import { countries } from 'countries-list';
import { sql, Sql } from './sql.js';

const CODE = /^[A-Z]{2}$/;
const codes = Object.entries(countries).map(([country, { continent }]) => [country, continent] as const);

/**
 * Maps a scan's country to its continent by the codes of a library. Literals, because bound values are sent in the URL.
 */
export const CONTINENT_OF_COUNTRY = sql`transform(toString(country), ${literalList(0)}, ${literalList(1)}, 'unknown')`;

function literalList(index: 0 | 1): Sql {
  const texts = codes.map((pair) => pair[index]);
  if (!texts.every((text) => CODE.test(text))) throw new Error('a code of a country or continent has two letters');
  return new Sql([`['${texts.join("','")}']`], []);
}
