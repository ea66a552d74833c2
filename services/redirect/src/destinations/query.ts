import { UTM_KEYS } from '@waymark/contract/links';
import { namesReadFrom } from './parameter-names.js';

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

/**
 * Adds the visitor's parameters without replacing or repeating one of the destination's, regardless of spelling. A
 * visitor can replace only the UTM parameters.
 */
export function appendQuery(own: Parameter[], visitor: Parameter[]): Parameter[] {
  const ownNames = new Set<string>();
  for (const { raw } of own) for (const name of namesReadFrom(raw)) ownNames.add(name);
  const mayAdd = ({ name, raw }: Parameter) =>
    namesReadFrom(raw).every((read) => !ownNames.has(read) || (read === name && UTM_NAMES.has(name)));
  const allowed = visitor.filter(mayAdd);
  const [utm, others] = [true, false].map((isUtm) => allowed.filter(({ name }) => UTM_NAMES.has(name) === isUtm));
  return [...mergeQueries(own, utm!), ...others!];
}

export const joinQuery = (parameters: Parameter[]): string => parameters.map(({ raw }) => raw).join('&');

/** Characters that a query must not contain, one per byte: Node decodes the request target as Latin-1. */
const NOT_IN_A_QUERY = /[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%[\]]/g;

/** Escapes a visitor's query for a header; valid characters stay unchanged. */
export const sanitizeQuery = (query: string): string =>
  query.replace(
    NOT_IN_A_QUERY,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

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
