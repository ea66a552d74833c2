import { parseUrl } from '../src/redirect/parse-url.js';

const TAILS = [
  '.',
  ',',
  ')',
  '"',
  "'",
  '>',
  '!',
  ';',
  '%20',
  '%E2%80%A6',
  '%E2%80%8B',
  '//',
  '/',
  '.)',
  '%22.',
  '%E2%80%9D',
];

test.each(TAILS)('a link with %s at its end is the link, with its query', (tail) => {
  expect(parseUrl(`/Spring_1-a${tail}`)).toMatchObject({
    path: { shortCode: 'Spring_1-a', isQr: false, rest: '' },
    query: '',
  });
  expect(parseUrl(`/q/code${tail}?x=1`)).toMatchObject({
    path: { shortCode: 'code', isQr: true, rest: '' },
    query: 'x=1',
  });
});

test.each([
  ['/code&x=1', 'x=1'],
  ['/code%3Fx=1', 'x=1'],
  ['/code%3fx=%7C&y=2', 'x=%7C&y=2'],
  ['/code&x=1?y=2', 'x=1&y=2'],
  ['/code.&x=1', 'x=1'],
  ['/code&', ''],
])('%s has the parameters %s', (url, query) => {
  expect(parseUrl(url)).toMatchObject({ path: { shortCode: 'code', isQr: false, rest: '' }, query });
});

test.each([
  ['/code/a/b?x=1', '/a/b', 'x=1'],
  ['/q/code/a', '/a', ''],
  ['/code/a&b', '/a&b', ''],
  ['/code/%2e%2e/a', '/%2e%2e/a', ''],
  ['/code//a', '//a', ''],
])('%s has the path %s behind the code', (url, rest, query) => {
  expect(parseUrl(url)).toMatchObject({ path: { shortCode: 'code', isQr: url.startsWith('/q/'), rest }, query });
});

test.each([
  '/',
  '/.',
  '//code',
  '/code.html',
  '/code;jsessionid=1',
  '/code.x.',
  '/code,other',
  '/%',
  '/code%',
  '/&x=1',
  '/%3Fx=1',
  `/${'x'.repeat(65)}`,
  `/${'x'.repeat(65)}.`,
  `/code${'.'.repeat(17)}`,
])('%s is no link', (url) => {
  expect(parseUrl(url).path).toBeUndefined();
});
