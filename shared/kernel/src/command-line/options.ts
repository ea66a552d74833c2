import { Option } from 'commander';
import { z } from 'zod';
import { UsageError } from './command.js';

/** One option of a command, as its schema describes it. */
export interface OptionFacts {
  /** The key in the schema. */
  key: string;
  /** `--dry-run` for `dryRun`. */
  flag: string;
  /** What stands for the value in the help; `null` for a flag without one. */
  value: string | null;
  description: string;
  choices: readonly string[] | null;
  isRequired: boolean;
  isSecret: boolean;
  /** Given without a flag. */
  isArgument: boolean;
  /** As text; `null` if there is none to tell of. */
  defaultText: string | null;
}

export function factsOf(options: z.ZodObject): OptionFacts[] {
  return Object.entries(options.shape as Record<string, z.ZodType>).map(([key, schema]) => {
    const inner = unwrap(schema);
    const whenAbsent = schema.safeParse(undefined);
    const meta = { ...inner.meta(), ...schema.meta() };
    const choices = inner instanceof z.ZodEnum ? inner.options.map(String) : null;
    return {
      key,
      flag: meta['isArgument'] === true ? key : flagOf(key),
      value: valueName(key, inner),
      description: meta.description ?? '',
      choices,
      isRequired: !whenAbsent.success,
      isSecret: meta['isSecret'] === true,
      isArgument: meta['isArgument'] === true,
      defaultText: defaultText(whenAbsent.data),
    };
  });
}

export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const defaultText = (value: unknown): string | null =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : null;

/** Returns the schema inside `optional()`, `default()` and the like. */
function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
  return isWrapper ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

function valueName(key: string, inner: z.ZodType): string | null {
  if (inner instanceof z.ZodBoolean) return null;
  if (inner instanceof z.ZodNumber) return 'number';
  if (inner instanceof z.ZodISODate) return 'date';
  return /[A-Z]/.test(key) ? 'text' : key;
}

/** Returns the options that the command line has for it: two for a secret. */
export function commandOptions(facts: OptionFacts): Option[] {
  const { flag, value, description } = facts;
  if (facts.isSecret) {
    return [
      new Option(`${flag}-prompt`, `${description}, asked for without showing it`),
      new Option(`${flag}-stdin`, `${description}, the first line of the standard input`),
      new Option(`${flag} [value]`).hideHelp(),
    ];
  }
  const option = new Option(value === null ? flag : `${flag} <${value}>`, describe(facts));
  if (facts.isRequired) option.helpGroup('Required options:');
  return [option];
}

function describe({ description, choices, defaultText: byDefault }: OptionFacts): string {
  const notes = [...(choices ? [choices.join(', ')] : []), ...(byDefault === null ? [] : [`default: ${byDefault}`])];
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

/** Returns the flag that the operator typed for an option: a secret has two. */
export function typedFlag(key: string, typed: Record<string, unknown>): string {
  const form = ['prompt', 'stdin'].find((name) => typed[`${key}${name[0]!.toUpperCase()}${name.slice(1)}`] === true);
  return form === undefined ? flagOf(key) : `${flagOf(key)}-${form}`;
}

/** Words the issues whose schema has no message of its own. */
const describeIssue: z.core.$ZodErrorMap = (issue) => {
  const unit = issue['origin'] === 'string' ? ' characters long' : '';
  const count = (value: unknown) => `${Number(value).toLocaleString('en-US')}${unit}`;
  if (issue.code === 'too_big') return `must be at most ${count(issue.maximum)}`;
  if (issue.code === 'too_small') return `must be at least ${count(issue.minimum)}`;
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'must be a whole number';
  if (issue.code === 'invalid_type' && issue.expected === 'number') return 'must be a number';
  return 'is not valid';
};

/** @throws UsageError that names every wrong or missing option */
export function parseOptions(options: z.ZodObject, input: Record<string, unknown>): Record<string, unknown> {
  const result = options.safeParse(input, { error: describeIssue });
  if (result.success) return result.data;
  const facts = new Map(factsOf(options).map((fact) => [fact.key, fact]));
  const problems = result.error.issues.map(({ code, path, message }) => {
    const key = String(path[0]);
    const choices = facts.get(key)?.choices;
    const flag = facts.get(key)?.isArgument ? key : typedFlag(key, input);
    if (input[key] === undefined && code !== 'custom') return `${flag} is missing`;
    return `${flag}: ${choices ? `must be one of ${choices.join(', ')}` : message.replace(/\.$/, '')}`;
  });
  throw new UsageError(problems.join('; '));
}
