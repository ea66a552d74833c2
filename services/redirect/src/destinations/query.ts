import { LRUCache } from 'lru-cache';
import { UTM_KEYS } from '@waymark/contract/links';
import { namesReadFrom, unusualNamesIn } from './parameter-names.js';

/** One parameter of a query, as it was written. */
export interface Parameter {
  /** Decoded: two spellings of one name are the same parameter. */
  name: string;
  raw: string;
}

export function parseQuery(query: string): Parameter[] {
  const parameters: Parameter[] = [];
  for (const raw of query.split('&')) {
    if (raw !== '') parameters.push({ name: decodeName(raw), raw });
  }
  return parameters;
}

/**
 * `over` wins if both have a name. A parameter keeps its place, its order and its spelling; new ones come last.
 */
export function mergeQueries(base: Parameter[], over: Parameter[]): Parameter[] {
  if (over.length === 0) return base;
  const replaced = new Map<string, Parameter[]>();
  for (const { name } of base) replaced.set(name, []);
  const added: Parameter[] = [];
  for (const parameter of over) (replaced.get(parameter.name) ?? added).push(parameter);

  const merged: Parameter[] = [];
  const placed = new Set<string>();
  for (const parameter of base) {
    const winners = replaced.get(parameter.name)!;
    if (winners.length === 0) merged.push(parameter);
    else if (!placed.has(parameter.name)) merged.push(...winners);
    placed.add(parameter.name);
  }
  return [...merged, ...added];
}

const UTM_NAMES: ReadonlySet<string> = new Set(UTM_KEYS);

/** A destination with more names that are not plain receives only UTM parameters. */
const OWN_UNUSUAL_NAMES_MAX = 64;
/** Limits of the visitor's names that are not plain; parameters beyond either are left out. */
const UNUSUAL_NAMES_MAX = 32;
const UNUSUAL_BYTES_MAX = 512;

/** Characters of names and keys: a few megabytes. */
const OWN_NAMES_SIZE_MAX = 1024 * 1024;
/** The names of destinations that were visited lately, by query: reading unusual ones takes a fraction of a millisecond. */
const ownNamesCache = new LRUCache<string, ReadonlySet<string>>({
  maxSize: OWN_NAMES_SIZE_MAX,
  sizeCalculation: (names, query) => [...names].reduce((size, name) => size + name.length, query.length + 1),
});

/**
 * Adds the visitor's parameters without replacing or repeating one of the destination's, regardless of spelling. A
 * visitor can replace only the UTM parameters.
 */
export function appendQuery(own: Parameter[], visitor: Parameter[]): Parameter[] {
  const allowed = allowedBeside(own, visitor);
  const [utm, others] = [true, false].map((isUtm) => allowed.filter(({ name }) => UTM_NAMES.has(name) === isUtm));
  return [...mergeQueries(own, utm!), ...others!];
}

function allowedBeside(own: Parameter[], visitor: Parameter[]): Parameter[] {
  if (own.length === 0) return visitor;
  const ownNames = hasFewUnusualNames(own) ? namesOf(own) : null;
  const mayAdd = ({ name, raw }: Parameter) =>
    namesReadFrom(raw).every((read) => (ownNames && !ownNames.has(read)) || (read === name && UTM_NAMES.has(name)));
  return withFewUnusualNames(visitor).filter(mayAdd);
}

function hasFewUnusualNames(parameters: Parameter[]): boolean {
  let count = 0;
  return parameters.every(({ raw }) => (count += unusualNamesIn(raw).length) <= OWN_UNUSUAL_NAMES_MAX);
}

function namesOf(own: Parameter[]): ReadonlySet<string> {
  const query = joinQuery(own);
  const known = ownNamesCache.get(query);
  if (known) return known;
  const names = new Set(own.flatMap(({ raw }) => namesReadFrom(raw)));
  ownNamesCache.set(query, names);
  return names;
}

function withFewUnusualNames(parameters: Parameter[]): Parameter[] {
  let [count, bytes] = [0, 0];
  return parameters.filter(({ raw }) => {
    const unusual = unusualNamesIn(raw);
    count += unusual.length;
    bytes += unusual.join('').length;
    return unusual.length === 0 || (count <= UNUSUAL_NAMES_MAX && bytes <= UNUSUAL_BYTES_MAX);
  });
}

export const joinQuery = (parameters: Parameter[]): string => parameters.map(({ raw }) => raw).join('&');

/** Characters that a query must not contain, one per byte: Node decodes the request target as Latin-1. */
const NOT_IN_A_QUERY = /[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%[\]]+/g;
const ESCAPES = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);

/** Escapes a visitor's query for a header; valid characters stay unchanged. */
export const sanitizeQuery = (query: string): string => query.replace(NOT_IN_A_QUERY, escapeAll);

/** A call for each character would take a millisecond for a long query. */
function escapeAll(characters: string): string {
  let escaped = '';
  for (let index = 0; index < characters.length; index += 1) escaped += ESCAPES[characters.charCodeAt(index)];
  return escaped;
}

function decodeName(raw: string): string {
  const end = raw.indexOf('=');
  const name = end === -1 ? raw : raw.slice(0, end);
  if (!name.includes('%') && !name.includes('+')) return name;
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
