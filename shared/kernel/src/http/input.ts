import type { Request } from 'express';
import { z } from 'zod';
import {
  conflicting,
  illFormed,
  moreProblems,
  notJsonObject,
  repeatedInBrackets,
  tooMany,
  type FieldProblems,
} from '@waymark/contract/problems';
import type { RouteDefinition } from '@waymark/contract/route';
import { invalid } from '../errors.js';
import type { Handling } from './handling.js';
import { illFormedFields } from './ill-formed.js';
import { problemOf } from './schema-problems.js';
import { unknownFields, unknownParameters, type UnknownName } from './unknown-names.js';

export type FieldOf<R, K extends string> = R extends { [key in K]: infer S } ? S : undefined;

type Fields<T> = T extends z.ZodType ? Partial<z.input<T>> : Record<string, never>;
/** Receives the fields that are valid on their own; its problems are reported together with the schema's. */
export type Check<R> = (valid: {
  query: Fields<FieldOf<R, 'query'>>;
  body: Fields<FieldOf<R, 'body'>>;
  /** The slug of a workspace route, access to which is granted. */
  workspace: string;
}) => Promise<FieldProblems> | FieldProblems;
/** Without a prototype: a client may call a field `constructor`. */
export const noProblems = (): FieldProblems => Object.create(null) as FieldProblems;

export interface Input {
  query: unknown;
  body: unknown;
}

const NO_FIELDS = z.object({});

/** Query and body in one pass, so that every invalid field is reported at once. */
export async function parseInput(
  route: RouteDefinition,
  raw: Request,
  { handling, check }: { handling: Handling; check?: Check<unknown> },
): Promise<Input> {
  checkParameterCount(raw.originalUrl);
  const problems = Object.assign(noProblems(), bracketProblems(route.query, raw.query));
  if (handling.isStrict) addUnknown(unknownParameters(route.query, raw.query), problems);
  const given = withoutEmpty(raw.query);
  Object.assign(problems, cursorProblems(route.query, given));
  const rawBody: unknown = route.rawBody ? {} : (raw.body ?? {});
  const query = parse(route.query, given, problems);
  const schema = route.body ?? (handling.isStrict ? NO_FIELDS : undefined);
  const body = route.rawBody ? (raw.body as unknown) : parseBody(schema, rawBody, { problems, handling });
  const { workspace } = raw.params;
  const found = await check?.({
    query: valid(route.query, given, problems),
    body: valid(route.body, rawBody, problems),
    workspace,
  } as never);
  for (const [field, messages] of Object.entries(found ?? {})) (problems[field] ??= []).push(...messages);
  if (Object.keys(problems).length > 0) throw invalid(firstOf(problems));
  return { query, body };
}

/** Returns the body as the schema parses it; adds the fields of an invalid body to the problems instead. */
export function parseBody<T>(
  schema: z.ZodType<T> | undefined,
  body: unknown,
  { problems, handling: { isStrict } }: { problems: FieldProblems; handling: Handling },
): T | undefined {
  if (!schema) return undefined;
  if (!isObject(body)) {
    problems[fieldAt([])] = [notJsonObject()];
    return undefined;
  }
  const illFormedPaths = illFormedFields(schema, body);
  for (const field of illFormedPaths) problems[field] = [illFormed(nameIn(field))];
  const unknown = isStrict ? unknownFields(schema, body) : [];
  addUnknown(unknown, problems);
  const parsed = parse(schema, body, problems);
  return illFormedPaths.length + unknown.length === 0 ? parsed : undefined;
}

/** Returns the last name in the path of a field: `event_types` of `event_types.3`. */
const nameIn = (field: string): string =>
  field
    .split('.')
    .filter((part) => !/^\d+$/.test(part))
    .at(-1) || 'body';

function addUnknown(names: UnknownName[], problems: FieldProblems): void {
  for (const { path, problem } of names) (problems[path] ??= []).push(problem);
}

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, problems: FieldProblems): T | undefined {
  const result = schema?.safeParse(value, { reportInput: true });
  if (!result?.error) return result?.data;
  const { issues } = result.error;
  const ofWrongType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => fieldAt(path)));
  for (const issue of issues) {
    const field = fieldAt(issue.path);
    // The wrong type is message enough: an empty list is not also reported as too short a text.
    if (issue.code === 'invalid_type' || !ofWrongType.has(field)) (problems[field] ??= []).push(problemOf(issue));
  }
  return undefined;
}

/** More than the fields of any form: an answer must not be longer than the request it refuses. */
const PROBLEMS_MAX = 100;

/** @returns all problems, or the first of them and the number of the others */
function firstOf(problems: FieldProblems): FieldProblems {
  const all = Object.entries(problems).flatMap(([field, found]) => found.map((problem) => ({ field, problem })));
  if (all.length <= PROBLEMS_MAX) return problems;
  const first = noProblems();
  for (const { field, problem } of all.slice(0, PROBLEMS_MAX)) (first[field] ??= []).push(problem);
  (first['body'] ??= []).push(moreProblems(all.length - PROBLEMS_MAX));
  return first;
}

const PARAMETERS_MAX = 100;

/** A parameter without a value is absent: forms send their empty fields so. */
function withoutEmpty(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

function checkParameterCount(url: string): void {
  if (url.split('&', PARAMETERS_MAX + 1).length <= PARAMETERS_MAX) return;
  throw invalid({ query: [tooMany('query', PARAMETERS_MAX, 'parameters')] });
}

function cursorProblems(schema: z.ZodObject | undefined, given: object): FieldProblems {
  const isCursorOfPages = Object.hasOwn(schema?.shape ?? {}, 'cursor') && Object.hasOwn(schema?.shape ?? {}, 'page');
  if (!isCursorOfPages || !('page' in given && 'cursor' in given)) return {};
  return { cursor: [conflicting('The cursor must not be given with a page.', 'page')] };
}

const fieldAt = (path: PropertyKey[]): string => path.join('.') || 'body';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reports lists as some clients write them: ignored as an unknown name, `status[]=archived` would filter nothing. */
function bracketProblems(schema: z.ZodObject | undefined, query: object): FieldProblems {
  const names = Object.keys(schema?.shape ?? {});
  const bracketed = names.filter((name) => Object.keys(query).some((given) => given.startsWith(`${name}[`)));
  return Object.fromEntries(bracketed.map((name) => [name, [repeatedInBrackets(name)]]));
}

function valid(schema: z.ZodType | undefined, fields: unknown, problems: FieldProblems): Record<string, unknown> {
  if (!isObject(fields)) return {};
  const bad = new Set(Object.keys(problems).map((path) => path.split('.', 1)[0]));
  return Object.fromEntries(knownFields(schema, fields).filter(([name]) => !bad.has(name)));
}

/** Returns the fields that the schema knows, so that the names and number of other fields cost nothing. */
function knownFields(schema: z.ZodType | undefined, fields: object): [string, unknown][] {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name as never]]] : []));
}
