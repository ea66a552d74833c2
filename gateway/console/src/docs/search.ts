import type { Operation, Reader } from './document.js';
import { fieldsOf, type Field } from './schema.js';

/** Something that can be found: an operation, or a part of the page that an anchor names. */
export interface Entry {
  operation?: Operation;
  isEvent?: boolean;
  id: string;
  name: string;
  /** Texts to search, the best place first: a title, names of its own, names that many have, descriptions. */
  places: string[];
}

/** Other words for the same; by the beginning of the word that is searched. */
const SYNONYMS: Record<string, string[]> = {
  archiv: ['status'],
  click: ['scan'],
  hit: ['scan'],
  paging: ['lists', 'cursor'],
  paginat: ['lists', 'cursor'],
  sdk: ['client'],
  timezone: ['time zone'],
  verif: ['signature'],
  visit: ['scan'],
};

/** Returns what has all words of a query; the best place of its worst word decides on the order. */
export function search(entries: Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = entries.map((entry) => ({ entry, rank: Math.max(...words.map((word) => rankOf(entry, word))) }));
  return ranked
    .filter(({ rank }) => rank < NOT_FOUND)
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}

const NOT_FOUND = 100;

/** Returns the index of the best place with the word; a synonym comes after the word itself in the same place. */
function rankOf({ places }: Entry, word: string): number {
  const stem = word.length > 3 ? word.replace(/s$/, '') : word;
  const others = Object.entries(SYNONYMS).flatMap(([start, words]) => (word.startsWith(start) ? words : []));
  const own = places.findIndex((text) => text.includes(stem));
  const other = places.findIndex((text) => others.some((each) => text.includes(each)));
  return Math.min(own < 0 ? NOT_FOUND : own, other < 0 ? NOT_FOUND : other + 0.5);
}

/** Returns the entry of an operation. Operations come before the events that they cause, whose titles are much alike. */
export function entryOf(reader: Reader, operation: Operation, isEvent: boolean): Entry {
  const { id, method, path, summary, description, parameters, body, answers } = operation;
  const fields = body ? allFields(fieldsOf(reader, body.schema)) : [];
  const headers = answers.flatMap((answer) => answer.headers);
  const own = [...parameters.filter((each) => each.in !== 'header'), ...fields];
  const common = [...parameters.filter((each) => each.in === 'header'), ...headers];
  const title = [id, method, path, summary];
  return {
    operation,
    isEvent,
    id,
    name: summary,
    places: [
      isEvent ? [] : title,
      [...(isEvent ? title : []), ...namesOf(own), ...fields.flatMap(({ values }) => values)],
      namesOf(common),
      [description, ...[...parameters, ...fields, ...headers].map((each) => each.description ?? '')],
    ].map((texts) => texts.join(' ').toLowerCase()),
  };
}

const namesOf = (all: { name: string }[]): string[] => all.map(({ name }) => name);

const allFields = (fields: Field[]): Field[] => fields.flatMap((field) => [field, ...allFields(field.fields())]);
