import type { z } from 'zod';
import type { ProblemCode } from '@waymark/contract/problem-codes';
import type { Problem } from '@waymark/contract/problems';

type Issue = z.core.$ZodIssue;
type Meaning = Pick<Problem, 'code' | 'params'>;

/** Returns the problem of an issue of a schema that was parsed with `reportInput`; its message is the schema's. */
export function problemOf(issue: Issue): Problem {
  if (issue.code === 'custom' && issue.params?.['problem']) return issue.params['problem'] as Problem;
  return { ...meaningOf(issue), message: issue.message };
}

function meaningOf(issue: Issue): Meaning {
  switch (issue.code) {
    case 'invalid_type':
      return ofType(issue.input, issue.expected);
    case 'invalid_value':
      return issue.input === undefined ? { code: 'required' } : notAllowed(issue);
    case 'too_big':
      return { code: TOO_BIG[sizeKindOf(issue.origin)], params: { max: Number(issue.maximum) } };
    case 'too_small':
      return tooSmall(issue);
    case 'invalid_format':
      return { code: FORMATS[issue.format] ?? 'format_invalid' };
    case 'invalid_union':
      return ofUnion(issue);
    default:
      return { code: 'format_invalid' };
  }
}

/** A list instead of a text is a parameter that is given twice, since no body takes either. */
function ofType(input: unknown, expected: string): Meaning {
  if (input === undefined) return { code: 'required' };
  if (expected === 'string' && Array.isArray(input)) return { code: 'repeated' };
  return { code: 'wrong_type', params: { type: TYPE_NAMES[expected] ?? expected } };
}

const TYPE_NAMES: Readonly<Record<string, string>> = { string: 'text', array: 'list', int: 'integer' };

function notAllowed({ values, ...issue }: z.core.$ZodIssueInvalidValue): Meaning {
  // Every word that stands for true or false is a value, too.
  const isBoolean = (issue as { expected?: string }).expected === 'stringbool';
  return isBoolean ? { code: 'wrong_type', params: { type: 'boolean' } } : { code: 'not_allowed', params: { values } };
}

type SizeKind = 'text' | 'list' | 'number';
const TOO_BIG = { text: 'too_long', list: 'too_many', number: 'too_large' } as const;
const TOO_SMALL = { text: 'too_short', list: 'too_few', number: 'too_small' } as const;

function sizeKindOf(origin: string): SizeKind {
  if (origin === 'string') return 'text';
  return origin === 'array' ? 'list' : 'number';
}

function tooSmall({ origin, minimum }: z.core.$ZodIssueTooSmall): Meaning {
  const kind = sizeKindOf(origin);
  const min = Number(minimum);
  return kind === 'text' && min === 1 ? { code: 'required' } : { code: TOO_SMALL[kind], params: { min } };
}

const FORMATS: Readonly<Record<string, ProblemCode>> = {
  email: 'email_invalid',
  date: 'time_invalid',
  datetime: 'time_invalid',
};

/** The unions of requests are of dates and times. */
function ofUnion({ input, errors }: z.core.$ZodIssueInvalidUnion): Meaning {
  if (input === undefined) return { code: 'required' };
  const [first] = errors.flat().filter(({ code }) => code === 'invalid_format' || code === 'invalid_type');
  if (Array.isArray(input)) return { code: 'repeated' };
  return first ? meaningOf(first) : { code: 'format_invalid' };
}
