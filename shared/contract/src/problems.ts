import type { z } from 'zod';
import type { ProblemCode } from './problem-codes.js';

/** What is wrong with one field: `code` and `params` for programs, `message` for people. */
export interface Problem {
  code: ProblemCode;
  message: string;
  params?: Readonly<Record<string, unknown>>;
}

/** The problems of each field, by its path. */
export type FieldProblems = Record<string, Problem[]>;

const disjunction = new Intl.ListFormat('en-GB', { type: 'disjunction' });
/** Lists a choice as a sentence does: `owner, admin or editor`. */
export const oneOf = (words: readonly string[]): string => disjunction.format(words);

/** Field names that read as a plural. */
const PLURAL = /(?:ids|types|dimensions)$/;

const make =
  (code: ProblemCode) =>
  (message: string, params?: Problem['params']): Problem => ({ code, message, ...(params && { params }) });
/** A problem whose message says what the field must be; `rule` continues "must". */
const makeRule =
  (code: ProblemCode) =>
  (name: string, rule: string, params?: Problem['params']): Problem =>
    make(code)(`The ${name} must ${rule}.`, params);

export const required = (name: string, hint = ''): Problem =>
  make('required')(`The ${name} ${PLURAL.test(name) ? 'are' : 'is'} required${hint}.`);
export const requiredEither = (one: string, other: string): Problem =>
  make('required')(`The ${one} or the ${other} of a link is required.`);
const TYPES = {
  text: 'text',
  object: 'an object',
  list: 'a list',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
} as const;
export type TypeName = keyof typeof TYPES;
export const wrongType = (name: string, type: TypeName): Problem =>
  makeRule('wrong_type')(name, `be ${TYPES[type]}`, { type });
export const notJsonObject = (): Problem => makeRule('wrong_type')('body', 'be a JSON object', { type: 'object' });
export const repeated = (name: string): Problem => makeRule('repeated')(name, 'be given once');
export const repeatedInBrackets = (name: string): Problem =>
  makeRule('repeated')(name, 'be given once, without brackets');

export const tooShort = (name: string, min: number): Problem =>
  makeRule('too_short')(name, `have at least ${min} characters`, { min });
export const tooLong = (name: string, max: number, unit = 'characters'): Problem =>
  makeRule('too_long')(name, `be at most ${max} ${unit}`, { max });
export const entriesTooLong = (name: string, max: number): Problem =>
  makeRule('too_long')(name, `have at most ${max} characters in each value`, { max });
export const tooMany = (name: string, max: number, what?: string): Problem =>
  makeRule('too_many')(name, what === undefined ? `be at most ${max}` : `have at most ${max} ${what}`, { max });
export const tooManyMatch = (things: string, max: number, advice: string): Problem =>
  make('too_many')(`More than ${max} ${things} match. ${advice}`, { max });
export const tooFew = (name: string, min: number, what: string): Problem =>
  makeRule('too_few')(name, `have at least ${min === 1 ? 'one' : min} ${what}`, { min });
export const tooSmall = (name: string, min: number): Problem =>
  makeRule('too_small')(name, `be at least ${min}`, { min });
export const tooLarge = (name: string, max: number): Problem =>
  makeRule('too_large')(name, `not be beyond ${max}`, { max });
export const tooManyBytes = (name: string, max: number, unit: string): Problem =>
  makeRule('too_large')(name, `be at most ${max} ${unit}`, { max });
export const inexactNumber = (path: string, max: number): Problem =>
  make('too_large')(`The number ${path} must not be beyond ${max}. Send it as a string.`, { max });
export const tooDeep = (name: string, max: number): Problem =>
  makeRule('too_deep')(name, `not be nested deeper than ${max} levels`, { max });

export const outOfRange = makeRule('out_of_range');
export const rangeInvalid = (name: string, rule: string): Problem => makeRule('range_invalid')(name, rule);
export const rangeTooLong = make('range_too_long');

export const notAllowed = (name: string, values: readonly string[]): Problem =>
  makeRule('not_allowed')(name, `be ${oneOf(values)}`, { values });
/** A choice with another wording than `notAllowed`; `rule` continues "must". */
export const notAllowedBy = (name: string, rule: string, values?: readonly string[]): Problem =>
  makeRule('not_allowed')(name, rule, values && { values });
/** A list some of whose entries are not allowed. */
export const entriesNotAllowed = make('not_allowed');
export const formatInvalid = (name: string, rule: string): Problem => makeRule('format_invalid')(name, rule);
export const urlInvalid = (name: string, rule: string): Problem => makeRule('url_invalid')(name, rule);
export const urlNotAllowed = (name: string, rule: string): Problem => makeRule('url_not_allowed')(name, rule);
export const destinationIsPrivate = (name: string): Problem =>
  urlNotAllowed(name, 'have the name of a host with a dot, or a public address');
export const destinationIsBlocked = (name: string): Problem =>
  makeRule('destination_blocked')(name, 'not lead to a destination that is blocked here');
export const timeInvalid = (name: string, rule: string): Problem => makeRule('time_invalid')(name, rule);
export const cursorInvalid = (same = ''): Problem =>
  makeRule('cursor_invalid')('cursor', `be a next_cursor of this list${same && `, with the same ${same}`}`);
export const imageTooSmall = (least: number): Problem =>
  makeRule('too_small')('size', `be at least ${least} for this QR code, or the format svg`, { min: least });
export const invisibleCharacters = (name: string): Problem =>
  makeRule('characters_invalid')(name, 'not contain control characters or invisible ones');
export const illFormed = (name: string): Problem =>
  makeRule('characters_invalid')(name, 'be well-formed Unicode, without unpaired surrogates');

export const reserved = (name: string, values: readonly string[]): Problem =>
  makeRule('reserved')(name, `not be ${oneOf(values)}, which are reserved`);
export const reservedWord = (name: string, word: string, reason: string): Problem =>
  make('reserved')(`The ${name} must not be ${word}: ${reason}.`);
export const taken = (name: string): Problem => make('taken')(`The ${name} is already taken.`);
export const emailTaken = (): Problem => make('taken')('The e-mail address is already taken.');
/** `reason` continues "The hostname". */
export const hostnameTaken = (reason: string): Problem => make('taken')(`The hostname ${reason}.`);
export const hostnameNotAllowed = (reason: string): Problem => make('not_allowed')(`The hostname ${reason}.`);
export const takenBefore = (name: string): Problem =>
  make('taken_before')(`The ${name} is an earlier code of another link.`);

/** Ids that a message shows. */
const IDS_SHOWN_MAX = 5;
export function doesNotExist(name: string, ids: readonly string[] = []): Problem {
  const first = ids.slice(0, IDS_SHOWN_MAX);
  const more = ids.length > first.length ? ` and ${ids.length - first.length} more` : '';
  const subject = ids.length > 0 ? `${name} ${first.join(', ')}${more}` : name;
  const message = `The ${subject} ${ids.length > 1 ? 'do' : 'does'} not exist in this workspace.`;
  return make('does_not_exist')(message, ids.length > 0 ? { ids: first } : undefined);
}

export const domainUnusable = (): Problem =>
  makeRule('does_not_exist')('domain_id', 'be that of a verified domain of this workspace');

export const unknownName = (
  kind: 'field' | 'parameter' | 'column',
  message: string,
  nearest: string | undefined,
): Problem => make(`unknown_${kind}`)(message, nearest === undefined ? undefined : { nearest });
export const moreProblems = (count: number, what = 'problems'): Problem =>
  make('more_problems')(`There are ${count} more ${what}.`, { count });

export const conflicting = (message: string, other: string): Problem => make('conflicting')(message, { with: other });
export const incorrect = (name: string): Problem => make('incorrect')(`The ${name} is wrong.`);
export const tooCommon = (name: string): Problem => make('too_common')(`The ${name} is too common.`);
export const containsEmail = (name: string): Problem =>
  makeRule('contains_email')(name, 'not be the e-mail address or its first part');
export const linkUnusable = (): Problem => make('link_unusable')('The link is invalid, has expired or has been used.');
export const alreadyMember = (): Problem => make('already_member')('The user is already a member.');
export const alreadyInvited = (): Problem =>
  make('already_invited')('This address has an invitation already. Delete it to send another one.');
export const secondFactorMissing = make('second_factor_missing');
export const accountUnusable = make('account_unusable');
export const unchangeable = make('unchangeable');
export const imageInvalid = (name: string, rule: string): Problem => makeRule('image_invalid')(name, rule);
export const contrastTooLow = (min: number): Problem =>
  makeRule('contrast_too_low')(
    'foreground',
    `be darker than the background, with a contrast of at least ${min}:1 in colour and in grey`,
    { min },
  );
export const columnRepeated = (column: string): Problem => make('repeated')(`The column ${column} is repeated.`);
export const columnMissing = (column: string): Problem => make('required')(`The column ${column} is missing.`);
export const csvInvalid = make('csv_invalid');
export const knownColumns = (columns: readonly string[]): Problem =>
  make('known_columns')(`The columns are: ${columns.join(', ')}.`, { columns });
export const tooSlow = make('too_slow');
export const quotaExceeded = make('quota_exceeded');

/** The parameters of a refinement of zod that reports this problem. */
export const asIssue = (problem: Problem) => ({ error: problem.message, params: { problem } });

/** Reports a problem from a refinement or a transformation; the checks after it do not run. */
export function report(ctx: z.RefinementCtx, problem: Problem, path?: PropertyKey[]): void {
  ctx.addIssue({
    code: 'custom',
    message: problem.message,
    params: { problem },
    continue: false,
    ...(path && { path }),
  });
}
