import { ONE_TIME_LINK_PATHS } from '@waymark/contract/console-paths';
import { newId } from '@waymark/contract/ids';
import { ROUTES } from '@waymark/contract/routes';
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

const LINK_TOKEN = 'iIc5W2uKq8Zr-3nT_0aBcDeFgHiJkLmNoPqRsTuVwXy';
const TOKEN_ROUTES = Object.values(ROUTES)
  .filter(({ path }) => path.includes('{token}'))
  .map(({ path }) => `/api/v1${path}`);
const KINDS = Object.entries(ONE_TIME_LINK_PATHS).map(([kind, path]) => [kind, `${path}/{token}`]);

test.each([
  ...KINDS.map(([kind, path]) => [`an older link of the kind ${kind}`, path!]),
  ...TOKEN_ROUTES.map((path) => [`the route ${path}`, path]),
])('the token of %s is redacted in a log', (_what, path) => {
  for (const token of [LINK_TOKEN, `${LINK_TOKEN}%2C`, LINK_TOKEN.slice(0, 33)]) {
    expect(redactCredentials(path.replace('{token}', token))).toBe(path.replace('{token}', '[redacted]'));
  }
});

test('the paths of one-time links cover both kinds and the routes that name a token', () => {
  expect(KINDS.map(([kind]) => kind)).toEqual(['password_reset', 'invitation']);
  expect(TOKEN_ROUTES).toEqual(['/api/v1/invitations/{token}', '/api/v1/invitations/{token}/accept']);
});

test.each([
  '/api/v1/invitations/look-up',
  '/api/v1/invitations/accept',
  `/api/v1/workspaces/acme/invitations/${newId('inv')}`,
  `/api/v1/user/invitations/${newId('inv')}/accept`,
  '/console/reset',
])('the path %s, which has no token, is logged as it is', (path) => {
  expect(redactCredentials(path)).toBe(path);
});
