import { snippetOf } from '@waymark/webhook/outbound/snippet';

const text = { 'content-type': 'text/plain; charset=utf-8' };
const snippet = (words: string, headers: Record<string, string> = text) => snippetOf(headers, Buffer.from(words));

test.each([
  ['plain words', 'Order  A-17\n is unknown.', 'Order A-17 is unknown.'],
  ['a password in JSON', '{"password": "x1", "why": "no"}', '{"password": "[redacted]", "why": "no"}'],
  ['a password in a form', 'user=a&db_password=hunter2&b=c', 'user=a&db_password=[redacted]&b=c'],
  ['a bearer token', 'sent Authorization Bearer abc.def to', 'sent Authorization [redacted] to'],
  ['a signing secret', 'whsec_abc is wrong', '[redacted] is wrong'],
  ['an access token', 'wmk_1234 is wrong', '[redacted] is wrong'],
  ['a long word', `key ${'aB3'.repeat(10)} end`, 'key [redacted] end'],
  ['control characters', 'a\u0000\u001b[31mb\r\nc', 'a [31mb c'],
  ['nothing', '  \n ', null],
])('of %s keeps no more than is harmless', (_what, words, expected) => {
  expect(snippet(words)).toBe(expected);
});

test('is at most 200 characters, and never ends in the middle of what could be a secret', () => {
  expect(snippet('word '.repeat(500))!.length).toBeLessThanOrEqual(200);
  const cut = `${'x'.repeat(390)} ${'S3cret'.repeat(100)}`;
  expect(snippet(cut)).toBe('[redacted]');
});

test.each([
  ['no type', {}],
  ['a picture', { 'content-type': 'image/png' }],
  ['compressed text', { ...text, 'content-encoding': 'gzip' }],
])('of %s is not kept', (_what, headers) => {
  expect(snippet('words', headers as Record<string, string>)).toBeNull();
});

test('of hostile text is made in no time', () => {
  for (const hostile of ['password'.repeat(1000), ' '.repeat(8192), 'secret:'.repeat(1000), 'bearer '.repeat(1000)]) {
    const startedAt = performance.now();
    snippet(hostile);
    expect(performance.now() - startedAt).toBeLessThan(200);
  }
});
