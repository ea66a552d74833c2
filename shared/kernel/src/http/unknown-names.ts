import leven from 'leven';
import { z } from 'zod';
import { moreProblems, unknownName, type Problem } from '@waymark/contract/problems';
import { shapeOf, unwrapped } from './schema.js';

export interface UnknownName {
  /** The path of the name, e.g. `options.dryrun`; truncated if it is long. */
  path: string;
  problem: Problem;
}

/** Further names are only counted: the answer must not be longer than the request it refuses. */
const NAMED_MAX = 20;
const NAME_LENGTH_MAX = 64;

/** The parameters of a query that the schema does not have. `status[]` is reported as a wrong `status`, not here. */
export function unknownParameters(schema: z.ZodObject | undefined, query: object): UnknownName[] {
  // A query that others define may have any parameter.
  if (schema?.def.catchall) return [];
  const names = Object.keys(schema?.shape ?? {});
  const isKnown = (given: string) => names.includes(given.split('[', 1)[0]!);
  const unknown = Object.keys(query).filter((given) => !isKnown(given));
  return named(unknown, 'query', (given) => ({
    path: shortened(given),
    problem: problemOf('parameter', { name: given, parent: '' }, names),
  }));
}

/** The fields of a body that the schema does not have, at any depth of it. */
export function unknownFields(schema: z.ZodType, body: unknown): UnknownName[] {
  let known: string[] | undefined;
  return named(unknownFieldsIn(schema, body, ''), 'body', (field) => ({
    path: pathOf(field.parent, shortened(field.name)),
    problem: problemOf('field', field, (known ??= pathsIn(schema))),
  }));
}

/** Describes the first names and counts the others. */
function named<T>(unknown: Iterable<T>, whole: 'query' | 'body', describe: (each: T) => UnknownName): UnknownName[] {
  const first: UnknownName[] = [];
  let restCount = 0;
  for (const each of unknown) {
    if (first.length < NAMED_MAX) first.push(describe(each));
    else restCount += 1;
  }
  return restCount === 0 ? first : [...first, { path: whole, problem: moreProblems(restCount, 'unknown names') }];
}

interface UnknownField {
  /** The path of the object that has it; empty at the top level. */
  parent: string;
  name: string;
}

/** Yields unknown fields; does not look into values that the schema leaves free-form. */
function* unknownFieldsIn(schema: z.ZodType, value: unknown, path: string): Generator<UnknownField> {
  if (typeof value !== 'object' || value === null) return;
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* unknownFieldsIn(inner.element as z.ZodType, item, pathOf(path, `${index}`));
  }
  const shape = shapeOf(inner);
  if (!shape || Array.isArray(value)) return;
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(shape, name)) yield* unknownFieldsIn(shape[name]!, value[name as never], pathOf(path, name));
    else yield { parent: path, name };
  }
}

/** Every field that a body may have, with its path. */
function pathsIn(schema: z.ZodType, path = ''): string[] {
  const fields = Object.entries(shapeOf(schema) ?? {});
  return fields.flatMap(([name, field]) => [pathOf(path, name), ...pathsIn(field, pathOf(path, name))]);
}

function problemOf(kind: 'parameter' | 'field', { name, parent }: UnknownField, known: string[]): Problem {
  const unknown = `There is no ${kind} ${JSON.stringify(shortened(name))}`;
  const nearest = nearestTo(name, known, parent);
  if (nearest !== undefined) return unknownName(kind, `${unknown}. Did you mean "${nearest}"?`, nearest);
  const siblings = known.filter((each) => parentOf(each) === parent);
  const hint =
    siblings.length === 0 ? ': this operation takes none.' : `. The ${kind}s are: ${siblings.map(nameOf).join(', ')}.`;
  return unknownName(kind, unknown + hint, undefined);
}

/** The edit distance of a typing mistake; beyond it a suggestion would be a guess. */
const DISTANCE_MAX = 3;
const DISTANCE_SHARE_MAX = 0.4;

/** Returns the known path whose name is most like this one; of several, one in the same object. */
export function nearestTo(name: string, known: readonly string[], parent = ''): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const distanceOf = distancesTo(name.toLowerCase());
  const distances = known.map((path) => {
    const candidate = nameOf(path);
    const distance = distanceOf(candidate.toLowerCase());
    const isNear = distance <= DISTANCE_MAX && distance <= DISTANCE_SHARE_MAX * Math.max(name.length, candidate.length);
    return { path, isNear, distance: distance + (parentOf(path) === parent ? 0 : 0.5) };
  });
  return distances.filter(({ isNear }) => isNear).sort((a, b) => a.distance - b.distance)[0]?.path;
}

/**
 * Returns the edit distance of other names to this one; letters in another order count as one mistake. Names of too
 * different lengths are not compared: an import compares thousands of pairs.
 */
function distancesTo(name: string): (other: string) => number {
  const letters = sorted(name);
  return (other) => {
    if (Math.abs(name.length - other.length) > DISTANCE_MAX) return Infinity;
    return name.length === other.length && sorted(other) === letters ? 1 : leven(name, other);
  };
}
const sorted = (text: string): string => [...text].sort().join('');

const pathOf = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));
const shortened = (name: string): string => name.slice(0, NAME_LENGTH_MAX);
