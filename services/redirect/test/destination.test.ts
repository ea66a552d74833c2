import type { UtmDefaults } from '@waymark/shared/contract/links';
import { parseDestination, visit } from '../src/redirect/destination.js';

const NONE: UtmDefaults = {
  utm_source: null,
  utm_medium: null,
  utm_campaign: null,
  utm_term: null,
  utm_content: null,
};

function visitTo(destinationUrl: string, defaults: Partial<UtmDefaults>, visitorQuery: string) {
  return visit(parseDestination(destinationUrl, { ...NONE, ...defaults })!, visitorQuery);
}

describe('the merged location', () => {
  const nl = { utm_source: 'nl', utm_medium: 'email' };

  it.each([
    // destination, defaults, visitor's query, location
    ['https://acme.com/spring', {}, '', 'https://acme.com/spring'],
    ['https://acme.com', {}, '', 'https://acme.com/'],
    ['https://acme.com', {}, '@evil.com', 'https://acme.com/?@evil.com'],
    ['https://acme.com#top', nl, '', 'https://acme.com/?utm_source=nl&utm_medium=email#top'],
    ['HTTPS://Acme.com:443/../a', {}, '', 'https://acme.com/a'],
    ['https://acme.com/a?b=1#c', {}, '', 'https://acme.com/a?b=1#c'],
    ['https://acme.com/a?b=1&&c', {}, '', 'https://acme.com/a?b=1&&c'],
    ['https://acme.com/a', nl, '', 'https://acme.com/a?utm_source=nl&utm_medium=email'],
    ['https://acme.com/a#top', nl, '', 'https://acme.com/a?utm_source=nl&utm_medium=email#top'],
    ['https://acme.com/a?utm_source=own&x=1', nl, '', 'https://acme.com/a?utm_source=nl&x=1&utm_medium=email'],
    ['https://acme.com/a?x=1', nl, 'utm_source=me', 'https://acme.com/a?x=1&utm_source=me&utm_medium=email'],
    ['https://acme.com/a?utm_source=own', nl, 'utm_source=me', 'https://acme.com/a?utm_source=me&utm_medium=email'],
    ['https://acme.com/a?x=1', {}, 'x=2', 'https://acme.com/a?x=2'],
    ['https://acme.com/a?x=1&x=2&y=3', {}, 'x=4&x=5', 'https://acme.com/a?x=4&x=5&y=3'],
    ['https://acme.com/a?x=1', {}, 'z=1&y=2&z=3', 'https://acme.com/a?x=1&z=1&y=2&z=3'],
    ['https://acme.com/a?n%61me=1', {}, 'name=2', 'https://acme.com/a?name=2'],
    ['https://acme.com/a?q=%C3%a9+x', {}, 'b=%2f%2F', 'https://acme.com/a?q=%C3%a9+x&b=%2f%2F'],
    ['https://acme.com/a', { utm_campaign: 'a&b=c é' }, '', 'https://acme.com/a?utm_campaign=a%26b%3Dc%20%C3%A9'],
    ['https://acme.com/a', { utm_campaign: '\ud800' }, '', 'https://acme.com/a?utm_campaign=%EF%BF%BD'],
    ['https://acme.com/a', { utm_source: '' }, '', 'https://acme.com/a'],
    ['https://acme.com/a', nl, 'utm_source=', 'https://acme.com/a?utm_source=&utm_medium=email'],
    ['https://acme.com/a?%=1', {}, '%=2', 'https://acme.com/a?%=2'],
    ['https://acme.com/a', {}, '&&', 'https://acme.com/a'],
    ['https://acme.com/a', {}, 'a="<\\>^`{|}', 'https://acme.com/a?a=%22%3C%5C%3E%5E%60%7B%7C%7D'],
    ['https://acme.com/a', {}, 'a=\u00e9#x\r\nSet-Cookie:1', 'https://acme.com/a?a=%E9%23x%0D%0ASet-Cookie:1'],
    ['https://ACME.com/ü ü', {}, '', 'https://acme.com/%C3%BC%20%C3%BC'],
    ['https:\\\\acme.com\\a', {}, '', 'https://acme.com/a'],
    ['https:acme.com', {}, '', 'https://acme.com/'],
    ['https:///acme.com/a', {}, '', 'https://acme.com/a'],
    ['https://münchen.de/', {}, '', 'https://xn--mnchen-3ya.de/'],
    ['http://[::1]:80/a', {}, 'b', 'http://[::1]/a?b'],
  ])('%s with %j and ?%s', (destinationUrl, defaults, visitorQuery, location) => {
    expect(visitTo(destinationUrl, defaults, visitorQuery).location).toBe(location);
  });

  it.each([
    ['qr=1', true, ''],
    ['a=1&qr=1', true, '?a=1'],
    ['qr=1&qr=2', true, '?qr=2'],
    ['qr=2', false, '?qr=2'],
    ['qr=01', false, '?qr=01'],
    ['qr', false, '?qr'],
    ['a=1', false, '?a=1'],
  ])('with ?%s tells a scanned QR code: %s', (visitorQuery, qr, rest) => {
    expect(visitTo('https://acme.com/a', {}, visitorQuery)).toEqual({ location: `https://acme.com/a${rest}`, qr });
  });

  it("keeps the destination's own qr parameter", () => {
    expect(visitTo('https://acme.com/a?qr=1', {}, 'qr=1').location).toBe('https://acme.com/a?qr=1');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.com',
    '\\\\evil.com',
    '/local',
    'ftp://acme.com/',
    'https://user:pass@acme.com/',
    'https://',
    '',
  ])('is refused for %s', (destinationUrl) => {
    expect(parseDestination(destinationUrl, NONE)).toBeNull();
  });
});

describe('of a long query', () => {
  const LOCATION_MAX = 14 * 1024;

  it('the first 8 KiB of the visitor are passed on, the rest is left out', () => {
    const query = Array.from({ length: 3000 }, (_, index) => `p${String(index).padStart(4, '0')}=1`);
    const { location } = visitTo('https://acme.com/a', { utm_source: 'nl' }, query.join('&'));
    const expected = query.slice(0, (8 * 1024) / 'p0000=1&'.length).join('&');
    expect(location).toBe(`https://acme.com/a?utm_source=nl&${expected}`);
  });

  it('a parameter that is too long by itself is left out, and whoever scanned a QR code still did', () => {
    const { location, qr } = visitTo('https://acme.com/a', {}, `qr=1&x=1&y=${'z'.repeat(9000)}&w=1`);
    expect([location, qr]).toEqual(['https://acme.com/a?x=1', true]);
  });

  it('the location stays well below what clients take, whatever is put together', () => {
    const longest = Object.fromEntries(Object.keys(NONE).map((key) => [key, '春'.repeat(255)]));
    const destinationUrl = `https://acme.com/${'x'.repeat(2031)}`;
    for (const query of ['', 'a=1', `a=${'\u00e9'.repeat(2500)}`, 'a=1&'.repeat(4000)]) {
      const { location } = visitTo(destinationUrl, longest, query);
      expect(location.length).toBeLessThanOrEqual(LOCATION_MAX);
      expect(location).toContain('utm_content=%E6%98%A5');
    }
    expect(visitTo(destinationUrl, longest, 'a=1').location).toMatch(/&a=1$/);
  });
});

/** Seeded (mulberry32), so that a failure can be seen again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('for any visitor', () => {
  const next = random(42);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
  const PIECES = ['a', 'utm_source', '=', '&', '@evil.com', '//evil', '\\', '#', '?', '%', '%0d%0a', '\r\n', 'é', ' '];
  const noise = (length: number) => Array.from({ length }, () => pick(PIECES)).join('');
  const DESTINATIONS = [
    'https://acme.com',
    'https://acme.com:8443/a/b',
    'http://acme.com?x=1',
    'https://acme.com/?utm_source=own#frag',
    'https:\\\\acme.com',
  ];

  it('the location stays on the origin, path and fragment of the destination and fits into a header', () => {
    for (let round = 0; round < 3000; round += 1) {
      const destinationUrl = pick(DESTINATIONS);
      const query = noise(Math.floor(next() * 12));
      const { location } = visitTo(destinationUrl, { utm_source: noise(3), utm_term: pick([null, noise(2)]) }, query);
      const [expected, actual] = [new URL(destinationUrl), new URL(location)];
      expect({ query, origin: actual.origin, path: actual.pathname, hash: actual.hash }).toEqual({
        ...{ query, origin: expected.origin, path: expected.pathname, hash: expected.hash },
      });
      expect(location).toMatch(/^[\x21-\x7e]+$/);
    }
  });

  it("the visitor's value of a parameter is the one that arrives", () => {
    for (let round = 0; round < 500; round += 1) {
      const name = pick(['utm_source', 'utm_medium', 'x', 'y']);
      const value = `v${round}`;
      const { location } = visitTo('https://acme.com/?x=1&utm_source=o', { utm_medium: 'm' }, `${name}=${value}`);
      expect(new URL(location).searchParams.getAll(name)).toEqual([value]);
    }
  });
});
