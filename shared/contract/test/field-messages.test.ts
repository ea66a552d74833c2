import { z } from 'zod';
import { analyticsFilters } from '@waymark/contract/analytics';
import { boundedList, description, nameOf, page, perPage } from '@waymark/contract/common';
import { recordConversion } from '@waymark/contract/conversions';
import { dateOrTime } from '@waymark/contract/date-or-time';
import { createLink, updateLink } from '@waymark/contract/links';
import { updateQrCode } from '@waymark/contract/qr-codes';
import { PROBLEM_CODES } from '@waymark/contract/problem-codes';
import { tooMany, type Problem } from '@waymark/contract/problems';
import { createToken } from '@waymark/contract/tokens';
import { ROUTES } from '@waymark/contract/routes';
import type { RouteDefinition } from '@waymark/contract/route';
import { passwordOf, signIn } from '@waymark/contract/users';
import { updateWebhook } from '@waymark/contract/webhooks';
import { addMember } from '@waymark/contract/invitations';
import { createWorkspace } from '@waymark/contract/workspaces';
import { problemOf } from '@waymark/kernel/http/schema-problems';
import { shapeOf, unwrapped } from '@waymark/kernel/http/schema';

const { include_bots } = analyticsFilters.shape;

function problemsOf(schema: z.ZodType, value: unknown): [string, string][] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]);
}

test('missing fields have readable messages', () => {
  expect(problemsOf(signIn, {})).toEqual([
    ['email', 'The email is required.'],
    ['password', 'The password is required.'],
  ]);
  expect(problemsOf(signIn, { email: '', password: '' })).toEqual(problemsOf(signIn, {}));
  expect(problemsOf(createWorkspace, {})).toEqual([
    ['slug', 'The slug is required.'],
    ['name', 'The name is required.'],
  ]);
  expect(problemsOf(addMember, { email: 5, role: 'viewer' })).toEqual([['email', 'The email must be text.']]);
  const long = { email: 'x'.repeat(255), role: 'viewer' };
  expect(problemsOf(addMember, long)).toEqual([['email', 'The email must be at most 254 characters.']]);
});

test('a list that is too long is refused for its length alone', () => {
  const long = Array.from({ length: 20_000 }, () => ({}));
  expect(problemsOf(updateLink, { tag_ids: long })).toEqual([['tag_ids', 'The tag_ids must be at most 50.']]);
  expect(problemsOf(updateWebhook, { event_types: long })).toEqual([
    ['event_types', 'The event_types must have at most 50 events.'],
  ]);
  let checks = 0;
  const element = z.custom(() => (checks += 1) > 0);
  expect(boundedList(element, { max: [2, tooMany('list', 2)] }).safeParse(long).success).toBe(false);
  expect(checks).toBe(0);
  expect(boundedList(element, { max: [2, tooMany('list', 2)] }).safeParse([1, 2]).success).toBe(true);
  expect(checks).toBe(2);
});

test('a value outside an enumeration is answered with the allowed ones', () => {
  expect(problemsOf(createToken, { name: 'T', scope: 'admin' })).toEqual([
    ['scope', 'The scope must be read_only or read_write.'],
  ]);
  expect(problemsOf(addMember, { email: 'a@b.example', role: 'boss' })).toEqual([
    ['role', 'The role must be owner, admin, editor, analyst or viewer.'],
  ]);
  expect(problemsOf(updateLink, { short_code: 'Admin' })).toEqual([
    ['short_code', expect.stringContaining('must not be q, api, docs, admin,')],
  ]);
});

type Field = [place: string, field: z.ZodType, words: readonly string[]];
/** The fields of a request that take one of a few words, also within other fields. */
function wordFields(place: string, schema: z.ZodType | undefined): Field[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]): Field[] => {
    const inner = unwrapped(field);
    if (inner instanceof z.ZodEnum) return [[`${place}.${name}`, field, inner.options as string[]]];
    return wordFields(`${place}.${name}`, inner instanceof z.ZodArray ? (inner.element as z.ZodType) : inner);
  });
}
const WORD_FIELDS = Object.entries(ROUTES as Record<string, RouteDefinition>).flatMap(([name, { query, body }]) => [
  ...wordFields(`${name} query`, query),
  ...wordFields(`${name} body`, body),
]);

test('the fields that take one of a few words are found', () => {
  expect(WORD_FIELDS.map(([place]) => place)).toEqual(
    expect.arrayContaining([
      'analytics.summary query.interval',
      'conversions.list query.status',
      'tokens.create body.scope',
    ]),
  );
});

test.each(WORD_FIELDS)('%s lists its words when it gets another one', (_place, field, words) => {
  const messages = problemsOf(field, 'no-such-word').map(([, message]) => message);
  expect(messages).toHaveLength(1);
  const bare = words.filter((word) => !word.startsWith('-'));
  expect(bare.filter((word) => !messages[0]!.includes(word))).toEqual([]);
});

/** Every field of a request, also within other fields and in lists of objects, with its name. */
function namedFields(place: string, schema: z.ZodType | undefined): [place: string, name: string, field: z.ZodType][] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]) => {
    const inner = unwrapped(field);
    const nested = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : inner;
    return [[`${place}.${name}`, name, field], ...namedFields(`${place}.${name}`, nested)];
  });
}
const FIELDS = Object.entries(ROUTES as Record<string, RouteDefinition>).flatMap(([name, { query, body }]) => [
  ...namedFields(`${name} query`, query),
  ...namedFields(`${name} body`, body),
]);
const WRONG = [undefined, null, 7.5, -1, '', 'no such thing: -', 'x'.repeat(30_000), 'a\u202eb', true, [7], ['-'], {}];

test.each(FIELDS)('each problem of %s is a sentence about %s', (_place, name, field) => {
  const messages = WRONG.flatMap((value) => problemsOf(field, value)).filter(([path]) => !/[a-z]/.test(path));
  for (const [, message] of messages) expect(message).toMatch(new RegExp(`^The ${name} (is|are|must|cannot) .*\\.$`));
});

test.each(FIELDS)('each problem of %s has a code, and its refinements name it', (_place, _name, field) => {
  const issues = WRONG.flatMap((value) => field.safeParse(value, { reportInput: true }).error?.issues ?? []);
  for (const issue of issues) {
    expect(Object.keys(PROBLEM_CODES)).toContain(problemOf(issue).code);
    expect(problemOf(issue).message).toBe(issue.message);
    if (issue.code === 'custom') expect(issue.params?.['problem']).toMatchObject({ message: issue.message });
  }
});

test.each<[what: string, schema: z.ZodType, value: unknown, problem: Omit<Problem, 'message'>]>([
  ['a missing text', createLink.shape.destination_url, undefined, { code: 'required' }],
  ['an empty text', signIn.shape.password, '', { code: 'required' }],
  ['a number for a text', createToken.shape.name, 5, { code: 'wrong_type', params: { type: 'text' } }],
  ['a text for an object', createLink.shape.utm_defaults, 'x', { code: 'wrong_type', params: { type: 'object' } }],
  ['a text for a list', createLink.shape.tag_ids, 'x', { code: 'wrong_type', params: { type: 'list' } }],
  ['a word for a flag', include_bots, 'maybe', { code: 'wrong_type', params: { type: 'boolean' } }],
  ['a word for a number', page, 'x', { code: 'wrong_type', params: { type: 'integer' } }],
  ['a parameter that is given twice', page, ['1', '2'], { code: 'repeated' }],
  ['a short password', passwordOf('password'), 'short', { code: 'too_short', params: { min: 10 } }],
  ['a long name', createToken.shape.name, 'x'.repeat(101), { code: 'too_long', params: { max: 100 } }],
  ['a name of a megabyte', createToken.shape.name, 'x'.repeat(1e6), { code: 'too_long', params: { max: 100 } }],
  ['no event', updateWebhook.shape.event_types, [], { code: 'too_few', params: { min: 1 } }],
  ['too many tags', createLink.shape.tag_ids, Array(51).fill('t'), { code: 'too_many', params: { max: 50 } }],
  ['a page of 0', page, '0', { code: 'too_small', params: { min: 1 } }],
  ['a page of 101', perPage, '101', { code: 'too_large', params: { max: 100 } }],
  [
    'another word',
    createToken.shape.scope,
    'x',
    { code: 'not_allowed', params: { values: ['read_only', 'read_write'] } },
  ],
  ['another form', createLink.shape.short_code, 'a b', { code: 'format_invalid' }],
  ['no address', addMember.shape.email, 'x', { code: 'email_invalid' }],
  ['no URL', createLink.shape.destination_url, 'x', { code: 'url_invalid' }],
  ['no time', createToken.shape.expires_at, 'x', { code: 'time_invalid' }],
  ['no date or time', dateOrTime('from'), 'x', { code: 'time_invalid' }],
  ['the past', createToken.shape.expires_at, '2001-01-01T00:00:00Z', { code: 'out_of_range' }],
  ['an invisible character', createToken.shape.name, 'a\u202eb', { code: 'characters_invalid' }],
])('%s is a problem with a code and its params', (_what, schema, value, problem) => {
  const [issue] = schema.safeParse(value, { reportInput: true }).error!.issues;
  expect(problemOf(issue!)).toEqual({ ...problem, message: expect.stringMatching(/^The .*\.$/) });
});

test('the words of a slug are sentences about it', () => {
  const problem = 'The slug must be 1 to 63 characters from a-z, 0-9 and -, and must not begin or end with -.';
  for (const slug of ['', '-a', 'A', 'a'.repeat(64)])
    expect(problemsOf(createWorkspace, { slug, name: 'A' })).toEqual([['slug', problem]]);
  expect(problemsOf(createWorkspace, { slug: 'api', name: 'A' })).toEqual([
    ['slug', expect.stringMatching(/^The slug must not be account, admin, .* or www, which are reserved\.$/)],
  ]);
});

test('a number of a conversion that would be stored as another one is named', () => {
  expect(problemsOf(recordConversion, { id: 'lnk_1', source: 'S', meta: { order: { ids: [1, 2 ** 53] } } })).toEqual([
    ['meta', 'The number meta.order.ids.1 must not be beyond 9007199254740991. Send it as a string.'],
  ]);
});

test.each(['', 'y', 5, '2027-02-30T00:00:00Z'])('%p as a time has one message, and a true one', (value) => {
  expect(problemsOf(createToken, { name: 'T', expires_at: value })).toEqual([
    ['expires_at', 'The expires_at must be a date (YYYY-MM-DD) or a time (ISO 8601).'],
  ]);
  expect(problemsOf(recordConversion, { id: 'lnk_1', source: 'S', occurred_at: value })).toEqual([
    ['occurred_at', 'The occurred_at must be a date and time (ISO 8601).'],
  ]);
});

test('fields of links and QR codes of another type have readable messages', () => {
  const wrong = { destination_url: 5, short_code: 5, utm_defaults: { utm_source: 5 } };
  expect(problemsOf(createLink, wrong)).toEqual([
    ['destination_url', 'The destination_url must be text.'],
    ['utm_defaults.utm_source', 'The utm_source must be text.'],
    ['short_code', 'The short_code must be text.'],
  ]);
  expect(
    problemsOf(updateLink, { short_code: null, status: null })
      .map(([field]) => field)
      .sort(),
  ).toEqual(['short_code', 'status']);
  expect(problemsOf(updateLink, { utm_defaults: [] })).toEqual([
    ['utm_defaults', 'The utm_defaults must be an object.'],
  ]);
  expect(problemsOf(updateQrCode, { style: 'x' })).toEqual([['style', 'The style must be an object.']]);
});

test('text with what is not seen in it is refused, but for the lines and tabs of a description', () => {
  const fields = { title: 'a\nb', campaign_tag: 'all', utm_defaults: { utm_term: 'a\u061cb' } };
  expect(problemsOf(updateLink, fields)).toEqual([
    ['title', 'The title must not contain control characters or invisible ones.'],
    ['campaign_tag', 'The campaign_tag must not be all: filters take it for every one.'],
    ['utm_defaults.utm_term', 'The utm_term must not contain control characters or invisible ones.'],
  ]);
  expect(description.parse(' a\r\n\tb ')).toBe('a\r\n\tb');
  for (const hidden of ['\u0000', '\u000b', '\u001f', '\u0085', '\u202e'])
    expect(problemsOf(description, `a${hidden}b`)).toEqual([
      ['', 'The description must not contain control characters or invisible ones.'],
    ]);
});

test('a text is put into one form, and nothing to be seen is nothing', () => {
  const { title, campaign_tag, utm_defaults } = updateLink.parse({
    title: ' \u2800\u00ad',
    campaign_tag: ' Cafe\u0301 ',
    utm_defaults: { utm_term: 'e\u0301', utm_source: '\u200b' },
  });
  expect([title, campaign_tag]).toEqual([null, 'Café']);
  expect(utm_defaults).toEqual({ utm_term: 'é', utm_source: null });
  expect(description.parse('❤\ufe0f\na')).toBe('❤\ufe0f\na');
});

describe('a name', () => {
  const name = nameOf(100);
  const HIDDEN = [
    0x61c, 0x00, 0x09, 0x0a, 0x1f, 0x7f, 0x85, 0x9f, 0x200b, 0x200f, 0x2028, 0x202e, 0x2060, 0x2069, 0xfeff, 0xad,
    0x34f, 0x115f, 0x180e, 0x200c, 0x200d, 0x2800, 0x3164, 0xfe0f, 0xffa0, 0xfff9, 0xe0041, 0xe0100,
  ];

  test.each(HIDDEN.map((code) => [code.toString(16), code]))('with U+%s in it is refused', (_, code) => {
    for (const schema of [createToken.shape.name, createWorkspace.shape.name, name]) {
      expect(problemsOf(schema, `a${String.fromCodePoint(code)}b`)).toEqual([
        ['', 'The name must not contain control characters or invisible ones.'],
      ]);
    }
  });

  test.each([
    'Frühling 2026',
    '春のキャンペーン',
    'مرحبا',
    'Sale 🎉',
    'a–b',
    'می\u200cخواهم',
    'ශ්\u200dරී',
    '葛\u{e0100}城',
    '👩\u200d💻',
    '👩🏽\u200d💻',
    '👨\u200d👩\u200d👧',
    '🏳\ufe0f\u200d🌈',
    'I ❤\ufe0f it',
    '1\ufe0f\u20e3',
    '🇩🇪',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ])('%s is one', (value) => {
    expect(name.parse(value)).toBe(value);
  });

  test.each(['1\ufe0f', '❤\ufe0f\ufe0f', '💻\u200d', '\u200d💻', 'می\u200c', '🏴\u{e0067}\u{e007f}'])(
    '%j is none: its invisible characters change nothing',
    (value) => {
      expect(problemsOf(name, value)).toHaveLength(1);
    },
  );

  test('has one space between words, whichever was typed, and an é that is one character', () => {
    expect(name.parse('\u3000a\u00a0 \u2003b  Cafe\u0301 ')).toBe('a b Café');
  });

  test.each(['', ' ', '\u00a0', '\u2800', '\u3164', '\u00ad', '\u200d \ufe0f'])('%j is empty', (value) => {
    expect(problemsOf(name, value)).toEqual([['', 'The name must not be empty.']]);
  });

  test('of a million marks does not take for ever to refuse', () => {
    const startedAt = performance.now();
    expect(problemsOf(name, `a${'\u0301\u0316'.repeat(500_000)}`)).toEqual([
      ['', 'The name must be at most 100 characters.'],
    ]);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
