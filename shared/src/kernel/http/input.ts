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
  const problems: FieldProblems = bracketProblems(route.query, raw.query);
  const rawBody: unknown = route.rawBody ? {} : (raw.body ?? {});
  const query = parse(route.query, raw.query, problems);
  const body = route.rawBody ? ownBytes(raw.body) : parseBody(route.body, rawBody, problems);
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

/**
 * What the schema reads in a body, if nothing is wrong with it; what is wrong is put to the problems.
 * @throws AppError `validation_failed` for what is nested too deeply to be looked at
 */
export function parseBody<T>(schema: z.ZodType<T> | undefined, body: unknown, problems: FieldProblems): T | undefined {
  const illFormed = [...illFormedTexts(body, [])].filter((path) => isRead(schema, path));
  for (const path of illFormed) problems[fieldAt(path)] = ['The text must be well-formed Unicode.'];
  if (schema && !isObject(body)) {
    problems[fieldAt([])] = ['The body must be a JSON object.'];
    return undefined;
  }
  const parsed = parse(schema, body, problems);
  return illFormed.length === 0 ? parsed : undefined;
}

/** Small buffers share their memory with others, and cannot be transferred to a thread. */
function ownBytes(body: unknown): Buffer<ArrayBuffer> {
  return Buffer.from(new Uint8Array(Buffer.isBuffer(body) ? body : []).buffer);
}

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, problems: FieldProblems): T | undefined {
  const result = schema?.safeParse(value);
  if (!result?.error) return result?.data;
  const { issues } = result.error;
  const ofWrongType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => fieldAt(path)));
  for (const { code, path, message } of issues) {
    const field = fieldAt(path);
    // A list of nothing is no text, and nobody needs to know that it is too short a text as well.
    if (code === 'invalid_type' || !ofWrongType.has(field)) (problems[field] ??= []).push(message);
  }
  return undefined;
}

const fieldAt = (path: PropertyKey[]): string => path.join('.') || 'body';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** As some clients write lists: taken for an unknown name, `status[]=archived` would be a filter that does not filter. */
function bracketProblems(schema: z.ZodObject | undefined, query: object): FieldProblems {
  const names = Object.keys(schema?.shape ?? {});
  const bracketed = names.filter((name) => Object.keys(query).some((given) => given.startsWith(`${name}[`)));
  return Object.fromEntries(bracketed.map((name) => [name, [`The ${name} must be given once, without brackets.`]]));
}

function valid(schema: z.ZodType | undefined, fields: unknown, problems: FieldProblems): Record<string, unknown> {
  if (typeof fields !== 'object' || fields === null) return {};
  const bad = new Set(Object.keys(problems).map((path) => path.split('.', 1)[0]));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isRead(schema, [name]) && !bad.has(name)));
}

/** A name that nobody knows is ignored, whatever it holds; what is `unknown` to a schema is looked at later, by itself. */
function isRead(schema: z.ZodType | undefined, path: string[]): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return isRead(schema.unwrap() as z.ZodType, path);
  if (schema instanceof z.ZodUnknown) return false;
  const [name, ...inner] = path;
  if (name === undefined) return true;
  if (schema instanceof z.ZodArray) return isRead(schema.element as z.ZodType, inner);
  if (!(schema instanceof z.ZodObject)) return true;
  return Object.hasOwn(schema.shape, name) && isRead(schema.shape[name] as z.ZodType, inner);
}

/** Far above what any field needs, and far below what a recursion over the body can bear. */
const DEPTH_MAX = 64;

/** Where they are. Half a surrogate pair can't be stored as it is: what is read later would not be what was sent. */
function* illFormedTexts(value: unknown, path: string[]): Generator<string[]> {
  if (path.length > DEPTH_MAX) throw invalid({ [path[0]!]: [`Must not be nested deeper than ${DEPTH_MAX} levels.`] });
  if (typeof value === 'string') {
    if (!isWellFormed(value)) yield path;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* illFormedTexts(inner, [...path, name]);
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);
