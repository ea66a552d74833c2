import { httpErrorOf } from '@waymark/webhook/http/failure';
import { redactResponse, snippetOf } from '@waymark/webhook/http/redact-response';

const text = { 'content-type': 'text/plain; charset=utf-8' };
const snippet = (words: string, headers: Record<string, string> = text) => snippetOf(headers, Buffer.from(words));

test.each([
  ['plain words', 'Order  A-17\n is unknown.', 'Order A-17 is unknown.'],
  [
    'what ends with the name of a secret',
    'Unknown webhook-id. Invalid signature',
    'Unknown webhook-id. Invalid signature',
  ],
  ['a password in JSON', '{"why": "no", "password": "x1"}', '{"why": "no", "password [redacted]'],
  ['a password in a form', 'user=a&db_password=hunter2&b=c', 'user=a&db_password [redacted]'],
  ['a bearer token', 'you sent Bearer abc.def to us', 'you sent Bearer [redacted]'],
  ['a signing secret', 'whsec_abc is wrong', '[redacted] is wrong'],
  ['an access token', 'wmk_1234 is wrong', '[redacted] is wrong'],
  ['a long word', `word ${'aB3'.repeat(10)} end`, 'word [redacted] end'],
  ['a long word of any characters', 'no $3cr3t!p@ssw0rd#longer%than^twenty&chars here', 'no [redacted] here'],
  ['user info in a URL', 'dial pg://a:hunter2@db failed', 'dial [redacted] failed'],
  ['control characters', 'a\u001b[31mb\u200b\r\nc', 'a[31mb c'],
  ['nothing', '  \n ', null],
])('of %s keeps no more than is harmless', (_what, words, expected) => {
  expect(snippet(words)).toBe(expected);
});

test.each([
  'Authorization: Basic dXNlcjpwYXNz',
  '{"Authorization":"Token abc123short"}',
  'Cookie: a=1; sid=s3cr3tsid; b=2',
  'postgres://app:s3cr3t@db.internal:5432/x',
  'pwd=s3cr3t pass=s3cr3t',
  'Server=db;User Id=sa;Pwd=s3cr3t;',
  '<password>s3cr3t</password>',
  'Your password is s3cr3t',
  'access_key: s3cr3t',
  'name="csrf_token" value="s3cr3t"',
  "'password' => 's3cr3t'",
  '{"password":{"v":"s3cr3t"}}',
  '{"password":["s3cr3t"]}',
  'password: "two s3cr3t words"',
  'pass\u200bword: s3cr3t',
  'password:\n\n  s3cr3t',
])('of %j shows no value', (words) => {
  expect(snippet(words)).not.toMatch(/s3cr3t|dXNlc|abc123|sid=/);
});

test('is at most 200 characters, and never ends in the middle of what could be a secret', () => {
  expect(snippet('word '.repeat(500))!.length).toBeLessThanOrEqual(200);
  const cut = `${'x'.repeat(390)} ${'S3cret'.repeat(100)}`;
  expect(snippet(cut)).toBe('[redacted]');
});

test.each([
  ['a picture', { 'content-type': 'image/png' }],
  ['compressed text', { ...text, 'content-encoding': 'gzip' }],
  ['text of another encoding', { 'content-type': 'text/plain; charset=utf-7' }],
])('of %s is not kept', (_what, headers) => {
  expect(snippet('words', headers as Record<string, string>)).toBeNull();
});

test('of UTF-16 is not kept, for any content type', () => {
  expect(snippetOf(text, Buffer.from('words', 'utf16le'))).toBeNull();
});

test.each<[string, string | undefined, string, string | null]>([
  ['of Latin-1, which is Windows-1252', 'text/plain; charset=iso-8859-1', '80 20 fc', '€ ü'],
  ['of Latin-1 in quotes', 'text/html; Charset="ISO-8859-1"', 'fc', 'ü'],
  ['of ASCII', 'text/plain;charset=us-ascii', '61', 'a'],
  ['of UTF-8', 'application/json', 'c3bc', 'ü'],
  ['without a type', undefined, 'c3bc', 'ü'],
  ['without a type and without text', undefined, '89504eff', null],
  ['that is no UTF-8', 'text/plain', 'fc', null],
  ['of UTF-8 that was cut off', 'text/plain', '61 e2 82', 'a'],
  ['of two encodings', 'text/plain; charset=utf-8; charset=utf-7', '61', null],
])('a body %s is shown as it was meant, or left out', (_what, type, hex, expected) => {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const { body, body_omitted: omitted } = redactResponse(type === undefined ? {} : { 'content-type': type }, bytes);
  expect([body, omitted]).toEqual([expected, expected === null ? 'not text' : null]);
});

test('no body is not one that was left out', () => {
  expect(redactResponse({}, Buffer.alloc(0))).toMatchObject({ body: null, body_omitted: null });
});

test('only an answer that leads elsewhere is described as a redirect', () => {
  expect(httpErrorOf(302, null).message).toBe('The endpoint answered 302; redirects are not followed.');
  expect(httpErrorOf(304, null).message).toBe('The endpoint answered 304.');
});

test('of text is kept however its type is spelt', () => {
  expect(snippet('words', { 'content-type': 'TEXT/PLAIN' })).toBe('words');
});

test('of hostile text does not take for ever', () => {
  const texts = [
    'password'.repeat(1000),
    ' '.repeat(8192),
    'secret:'.repeat(1000),
    '://@'.repeat(2000),
    '://'.repeat(341),
  ];
  for (const hostile of texts) {
    const startedAt = performance.now();
    // So often that an expression of cubic time takes a minute.
    for (let run = 0; run < 100; run += 1) redactResponse(text, Buffer.from(hostile));
    snippet(hostile);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }
});
