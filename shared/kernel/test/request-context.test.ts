import { redactCredentials } from '@waymark/kernel/process/redact-credentials';
import { requestIdOf } from '@waymark/kernel/process/request-context';

const TOKEN = 'wmk_5hJ2kLm8NpQrStUvWxYz0123456789abcdef_1A2b3C';
const MADE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('a valid request id of the caller is kept', () => {
  expect(requestIdOf('order-17:retry.2')).toBe('order-17:retry.2');
});

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['one with a line break', 'a\nb'],
  ['one of 10,000 characters', 'a'.repeat(10_000)],
  ['a token', TOKEN],
  ['one with a token in it', `id-${TOKEN}`],
  ['a signing secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
])('%s is replaced by a new request id', (_what, given) => {
  expect(requestIdOf(given)).toMatch(MADE);
});

test('credentials in a path are redacted in every position', () => {
  expect(redactCredentials(`/api/v1/tokens/${TOKEN}`)).toBe('/api/v1/tokens/wmk_[redacted]');
  expect(redactCredentials('/a/whsec_MfKQ9r8G+Y/q=')).toBe('/a/whsec_[redacted]');
  expect(redactCredentials('/api/v1/links')).toBe('/api/v1/links');
});
