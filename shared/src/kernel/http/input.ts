import type { Request } from 'express';
import { z } from 'zod';
import type { RouteDefinition } from '../../contract/route.js';
import { invalid } from '../errors.js';

export type FieldOf<R, K extends string> = R extends { [key in K]: infer S } ? S : undefined;

type Fields<T> = T extends z.ZodType ? Partial<z.input<T>> : Record<string, never>;
/** Sees the fields of the schema that are valid by themselves; its problems are reported together with the schema's. */
export type Check<R> = (valid: {
  query: Fields<FieldOf<R, 'query'>>;
  body: Fields<FieldOf<R, 'body'>>;
  /** The slug of a workspace route, access to which is granted. */
  workspace: string;
}) => Promise<FieldProblems> | FieldProblems;
export type FieldProblems = Record<string, string[]>;

export interface Input {
  query: unknown;
  body: unknown;
}

/** Query and body in one pass, so that every invalid field is reported at once. */
export async function parseInput(
  route: RouteDefinition,
  raw: Request,
  check: Check<unknown> | undefined,
): Promise<Input> {
  const problems: FieldProblems = {};
  const rawBody: unknown = raw.body ?? {};
  const illFormed: FieldProblems = {};
  findIllFormedText(rawBody, [], illFormed);
  Object.assign(problems, ofKnown(route.body, illFormed), bracketProblems(route.query, raw.query));
  const query = parse(route.query, raw.query, problems);
  const body = parse(route.body, rawBody, problems);
  const { workspace } = raw.params;
  const found = await check?.({
    query: valid(route.query, raw.query, problems),
    body: valid(route.body, rawBody, problems),
    workspace,
  } as never);
  for (const [field, messages] of Object.entries(found ?? {})) (problems[field] ??= []).push(...messages);
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return { query, body };
}

function parse(schema: z.ZodType | undefined, value: unknown, problems: FieldProblems): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) (problems[issue.path.join('.') || 'body'] ??= []).push(issue.message);
  return undefined;
}

/** A name that nobody knows is ignored, whatever it holds. */
function ofKnown(schema: z.ZodType | undefined, problems: FieldProblems): FieldProblems {
  return Object.fromEntries(Object.entries(problems).filter(([path]) => isKnown(schema, path.split('.', 1)[0]!)));
}

/** As some clients write lists: taken for an unknown name, `status[]=archived` would be a filter that does not filter. */
function bracketProblems(schema: z.ZodObject | undefined, query: object): FieldProblems {
  const names = Object.keys(schema?.shape ?? {});
  const bracketed = names.filter((name) => Object.keys(query).some((given) => given.startsWith(`${name}[`)));
  return Object.fromEntries(bracketed.map((name) => [name, [`The ${name} must be given once, without brackets.`]]));
}

function valid(schema: z.ZodType | undefined, fields: unknown, problems: FieldProblems): Record<string, unknown> {
  if (typeof fields !== 'object' || fields === null) return {};
  const bad = new Set(Object.keys(problems).map((path) => path.split('.', 1)[0]));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isKnown(schema, name) && !bad.has(name)));
}

const isKnown = (schema: z.ZodType | undefined, name: string): boolean =>
  !(schema instanceof z.ZodObject) || Object.hasOwn(schema.shape, name);

/** Far above what any field needs, and far below what a recursion over the body can bear. */
const DEPTH_MAX = 64;

/** Half a surrogate pair can't be stored as it is: what is read later would not be what was sent. */
function findIllFormedText(value: unknown, path: string[], problems: FieldProblems): void {
  if (path.length > DEPTH_MAX) throw invalid({ [path[0]!]: [`Must not be nested deeper than ${DEPTH_MAX} levels.`] });
  if (typeof value === 'string') {
    if (!isWellFormed(value)) problems[path.join('.') || 'body'] = ['The text must be well-formed Unicode.'];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) findIllFormedText(inner, [...path, name], problems);
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);
