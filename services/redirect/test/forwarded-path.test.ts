import fc from 'fast-check';
import { locationFor, parseDestination } from '../src/destinations/destination.js';
import { forwardedPath } from '../src/destinations/forwarded-path.js';

const NO_UTM = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null };

test.each([
  ['/a/b', '/a/b'],
  ['/a//b/', '/a//b/'],
  ['/a/./b', '/a/b'],
  ['/a/../../../b', '/b'],
  ['/%2e%2e/%2E./a', '/a'],
  ['/..', '/'],
  ['//evil.example', '//evil.example'],
  ['/@evil.example', '/@evil.example'],
  ['/a%2Fb', '/a%2Fb'],
  ['/a b"<>', '/a%20b%22%3C%3E'],
  ['/\u00fc', '/%FC'],
  ['/a#b', '/a%23b'],
])('%s becomes %s', (rest, path) => {
  expect(forwardedPath(rest)).toBe(path);
});

test.each([
  '/..%2fa',
  '/a%2f..',
  '/a%5c..%5cb',
  '/\\..\\a',
  '/a%2F%2e%2e',
  `/${'a'.repeat(1024)}`,
  `/${'ü'.repeat(400)}`,
])('%s is refused', (rest) => {
  expect(forwardedPath(rest)).toBeUndefined();
});

const part = fc.oneof(
  fc.constantFrom('/', '//', '..', '.', '%2e', '%2E%2e', '%2f', '%5c', '\\', '@', ':', '?', '#', ';', '%00', '%'),
  fc.string({ maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const rests = fc.array(part, { maxLength: 12 }).map((parts) => `/${parts.join('').replaceAll('?', '')}`);

test('no path changes the host or the scheme, or leaves the path of the destination', () => {
  const destination = parseDestination('https://acme.com/shop/a?own=1#top', NO_UTM, 'append')!;
  const latin1 = (text: string) => Buffer.from(text).toString('latin1');
  const check = (rest: string) => {
    const path = forwardedPath(latin1(rest));
    if (path === undefined) return;
    const { location } = locationFor(destination, '', path);
    const url = new URL(location);
    expect([url.origin, url.search, url.hash]).toEqual(['https://acme.com', '?own=1', '#top']);
    expect(url.href).toBe(location);
    expect(
      decodeURIComponent(url.pathname.replaceAll(/%(?![0-9a-f]{2})/gi, '%25').replaceAll(/%[89a-f]./gi, 'x')),
    ).toMatch(/^\/shop\/a\//);
    expect(url.pathname.split(/[/\\]|%2f|%5c/i)).not.toContain('..');
  };
  fc.assert(fc.property(rests, check), { numRuns: 2000 });
});
