import { queryPolicy, UTM_KEYS, type QueryPolicy, type UtmDefaults } from '@waymark/contract/links';
import { measureCpu } from '@waymark/testing/event-loop';
import { parseDestination, locationFor } from '../src/destinations/destination.js';

const NONE: UtmDefaults = {
  utm_source: null,
  utm_medium: null,
  utm_campaign: null,
  utm_term: null,
  utm_content: null,
};

function visitTo(
  destinationUrl: string,
  defaults: Partial<UtmDefaults>,
  visitorQuery: string,
  policy: QueryPolicy = 'override',
) {
  return locationFor(parseDestination(destinationUrl, { ...NONE, ...defaults }, policy)!, visitorQuery);
}

test.each(['append', 'override'] as const)(
  'with the policy %s a parameter with `;` counts as many, and 256 of a visitor are passed on',
  (policy) => {
    const query = (count: number) => `a=1&${Array.from({ length: count }, () => '+').join(';')}&b=2`;
    const passedOn = (count: number) => visitTo('https://acme.com/', {}, query(count), policy).location;
    expect(passedOn(254)).toBe(`https://acme.com/?${query(254)}`);
    expect(passedOn(255)).toBe(`https://acme.com/?${query(255).replace('&b=2', '')}`);
    expect(passedOn(256)).toBe('https://acme.com/?a=1');
    expect(passedOn(4000)).toBe('https://acme.com/?a=1');
  },
);

test.each([
  ['https://fonts.example/css?family=Lato:400,700|Roboto', 'https://fonts.example/css?family=Lato:400,700%7CRoboto'],
  ['https://search.example/#artifact|org.x|y|1.0|', 'https://search.example/#artifact%7Corg.x%7Cy%7C1.0%7C'],
  [
    'https://ad.example/t|3.0|296/{x}?q={"a":[1]}^2`',
    'https://ad.example/t%7C3.0%7C296/%7Bx%7D?q=%7B%22a%22:[1]%7D%5E2%60',
  ],
  ['https://d.example/?x=\\y', 'https://d.example/?x=%5Cy'],
  ['https://d.example/?a[]=1&b=[2]', 'https://d.example/?a[]=1&b=[2]'],
  ['https://d.example/?a=%&b=100%', 'https://d.example/?a=%&b=100%'],
  ['https://d.example/[a]#[b]#c', 'https://d.example/%5Ba%5D#%5Bb%5D%23c'],
  ['https://[::1]:8443/x?y#z', 'https://[::1]:8443/x?y#z'],
  ['https://d.example/%7C%5e', 'https://d.example/%7C%5e'],
])('the location of %s is a URI', (destination, expected) => {
  const { location } = visitTo(destination, {}, '');
  expect(location).toBe(expected);
  expect(visitTo(destination, { utm_source: 'nl' }, 'v={y}|^').location).not.toMatch(/[|{}^`\\]/);
});

describe('with the policy override the merged location', () => {
  const nl = { utm_source: 'nl', utm_medium: 'email' };

  test.each([
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

  test.each([
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

  test("keeps the destination's own qr parameter", () => {
    expect(visitTo('https://acme.com/a?qr=1', {}, 'qr=1').location).toBe('https://acme.com/a?qr=1');
  });

  test.each([
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
    expect(parseDestination(destinationUrl, NONE, 'append')).toBeNull();
  });
});

describe('with the policy append', () => {
  const appended = (own: string, visitor: string, defaults: Partial<UtmDefaults> = {}) =>
    visitTo(`https://pay.example/${own}`, defaults, visitor, 'append').location.slice('https://pay.example/'.length);

  test.each([
    // destination, visitor's query, location
    ['?to=alice', 'note=hi', '?to=alice&note=hi'],
    ['?to=alice#top', 'a=1&a=2', '?to=alice&a=1&a=2#top'],
    ['', 'to=mallory', '?to=mallory'],
    ['?to=alice&&x', '', '?to=alice&&x'],
    ['?to=alice&to=bob', 'a=1', '?to=alice&to=bob&a=1'],
    ['?total=1', 'to=2', '?total=1&to=2'],
    ['?a_b=1', 'a-b=2&ab=3', '?a_b=1&a-b=2&ab=3'],
    ['?é=1', 'è=2&e=3', '?%C3%A9=1&%E8=2&e=3'],
  ])('adds to /%s what ?%s brings', (own, visitor, location) => {
    expect(appended(own, visitor)).toBe(location);
  });

  test.each([
    'to=mallory',
    'to=mallory&to=eve',
    'to',
    'to=',
    'TO=mallory',
    '%74o=mallory',
    '%74%4F=mallory',
    '%2574o=mallory',
    '%u0074o=mallory',
    '+to=mallory',
    'to+=mallory',
    '%20to=mallory',
    'to[]=mallory',
    'to%5B%5D=mallory',
    'to[0]=mallory',
    'to[name]=mallory',
    '[to]=mallory',
    '[[to]]=mallory',
    'to]=mallory',
    'to.name=mallory',
    '.to=mallory',
    'to%00=mallory',
    'to%00x=mallory',
    '%EF%BD%94o=mallory',
    'a=1;to=mallory',
    ';to=mallory',
    'utm_source=x;to=mallory',
  ])("keeps the destination's own ?to=alice and leaves out ?%s", (visitor) => {
    for (const own of ['?to=alice', '?x=1&to=alice#top', '?to[]=alice', '?%74o=alice', '?To=alice', '?x=1;to=alice'])
      expect({ own, location: appended(own, visitor) }).toEqual({ own, location: own });
  });

  test.each([
    [
      'redirect_uri',
      ['redirect.uri', 'redirect+uri', 'redirect%20uri', 'redirect[uri', 'redirect.uri[]', 'Redirect_URI'],
    ],
    ['re.direct', ['re_direct', 're%2Edirect', 're direct']],
    ['a[b]', ['a', 'a[c]', 'a_b_', 'A%5bB%5d']],
    ['%ff', ['%FF', '%25fe']],
    ['', ['=x', '[]=x', '+=x']],
    ['straße', ['stra%C3%9Fe', 'STRASSE', 'Stra%C3%9FE']],
  ])('takes every reading of %s for the same parameter', (name, others) => {
    for (const other of others) expect(appended(`?x=1&${name}=own`, other)).toBe(appended(`?x=1&${name}=own`, ''));
  });

  test.each([
    ['?utm_source=own', {}, 'utm_source=me', '?utm_source=me'],
    ['?utm_source=own', { utm_source: 'nl' }, '', '?utm_source=nl'],
    ['?utm_source=own', { utm_source: 'nl', utm_term: 't' }, '%75tm_source=me', '?%75tm_source=me&utm_term=t'],
    ['?x=1', { utm_source: 'nl' }, 'utm_source=a&utm_source=b', '?x=1&utm_source=a&utm_source=b'],
    ['?x=1', { utm_source: 'nl' }, 'utm_source=a;b', '?x=1&utm_source=a;b'],
    ['?utm_source=own', {}, 'UTM_SOURCE=me', '?utm_source=own'],
    ['?utm_source=own', {}, 'utm_source[]=me', '?utm_source=own'],
    ['?utm_source=own', {}, 'x=1;utm_source=me', '?utm_source=own'],
  ])('lets UTM parameters replace those of /%s with %j by ?%s', (own, defaults, visitor, location) => {
    expect(appended(own, visitor, defaults)).toBe(location);
  });
});

describe('with the policy drop', () => {
  test("ignores the visitor's query, and still tells a scanned QR code", () => {
    const defaults = { utm_source: 'nl' };
    for (const [query, qr] of [
      ['utm_source=me&x=2&y=3', false],
      ['y=3&qr=1', true],
    ] as const)
      expect(visitTo('https://acme.com/?x=1#top', defaults, query, 'drop')).toEqual({
        location: 'https://acme.com/?x=1&utm_source=nl#top',
        qr,
      });
  });
});

describe('of a long query', () => {
  const LOCATION_MAX = 14 * 1024;

  test('the first 8 KiB of the visitor are passed on, the rest is left out', () => {
    const query = Array.from({ length: 300 }, (_, index) => `p${String(index).padStart(60, '0')}=1`);
    const { location } = visitTo('https://acme.com/a', { utm_source: 'nl' }, query.join('&'));
    const expected = query.slice(0, 128).join('&');
    expect(location).toBe(`https://acme.com/a?utm_source=nl&${expected}`);
  });

  test('the first 256 parameters of the visitor are passed on, the rest is left out', () => {
    const query = Array.from({ length: 3000 }, (_, index) => `p${index}`);
    const { location } = visitTo('https://acme.com/a', {}, query.join('&'), 'append');
    expect(location).toBe(`https://acme.com/a?${query.slice(0, 256).join('&')}`);
  });

  test('of names that are not plain the first 32 with up to 512 bytes are passed on, and all plain ones', () => {
    const plain = Array.from({ length: 100 }, (_, index) => `p${index}`);
    const unusual = Array.from({ length: 100 }, (_, index) => `%C3%A9${index}`);
    const long = ['a', `%C3%A9${'x'.repeat(600)}`, 'b'];
    const passedOn = (own: string, query: string[]) =>
      visitTo(`https://acme.com/a?${own}`, {}, query.join('&'), 'append').location.split('?')[1]!.split('&').slice(1);
    expect(passedOn('own=1', [...unusual, ...plain])).toEqual([...unusual.slice(0, 32), ...plain]);
    expect(passedOn('own=1', long)).toEqual(['a', 'b']);
    expect(passedOn('own=1', [`${'%C3%A9;'.repeat(40)}x=1`, 'b'])).toEqual(['b']);
  });

  test('a destination with more than 64 names that are not plain receives only UTM parameters', () => {
    const receivedBy = (count: number, query: string) => {
      const own = Array.from({ length: count }, (_, index) => `filter[${index}]=1`).join('&');
      const { location } = visitTo(`https://acme.com/a?${own}`, {}, query, 'append');
      return location.slice(`https://acme.com/a?${own}`.length);
    };
    expect(receivedBy(64, 'a=1&utm_source=nl')).toBe('&utm_source=nl&a=1');
    expect(receivedBy(65, 'a=1&utm_source=nl')).toBe('&utm_source=nl');
    expect(receivedBy(65, 'filter_0_=2&utm_source;a=1')).toBe('');
  });

  test('unusual names cost a visit a bounded multiple of plain ones', () => {
    const visits = (name: string) => {
      const query = Array.from({ length: 256 }, () => name).join('&');
      const visit = () => visitTo('https://acme.com/a?own=1', {}, query, 'append');
      visit();
      return measureCpu(() => {
        for (let round = 0; round < 100; round += 1) visit();
      });
    };
    // A compatibility character that normalizes to 18 letters, three times: 13 times as much, and 130 without the limit.
    expect(visits(`${'%EF%B7%BA'.repeat(3)}%`)).toBeLessThan(40 * visits('p'.repeat(28)));
  });

  test('a parameter that is too long is left out, and the trigger of a QR scan stays', () => {
    const { location, qr } = visitTo('https://acme.com/a', {}, `qr=1&x=1&y=${'z'.repeat(9000)}&w=1`);
    expect([location, qr]).toEqual(['https://acme.com/a?x=1', true]);
  });

  test('the location stays well below the limits of clients, for any parameters', () => {
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

/** Seeded (mulberry32), so that a failure can be reproduced. */
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

  test('the location stays on the origin, path and fragment of the destination and fits into a header', () => {
    for (let round = 0; round < 3000; round += 1) {
      const destinationUrl = pick(DESTINATIONS);
      const query = noise(Math.floor(next() * 12));
      const { location } = visitTo(
        destinationUrl,
        { utm_source: noise(3), utm_term: pick([null, noise(2)]) },
        query,
        pick(queryPolicy.options),
      );
      const [expected, actual] = [new URL(destinationUrl), new URL(location)];
      expect({ query, origin: actual.origin, path: actual.pathname, hash: actual.hash }).toEqual({
        ...{ query, origin: expected.origin, path: expected.pathname, hash: expected.hash },
      });
      expect(location).toMatch(/^[\x21-\x7e]+$/);
    }
  });

  test("with the policy append the destination's own parameters arrive as they are, in their order, and nothing under their names", () => {
    const SPELLINGS = [
      'to',
      'TO',
      '%74o',
      'to[]',
      '[to]',
      'to.x',
      '+to',
      'x',
      'X%5B%5D',
      'a_b',
      'a.b',
      'a+b',
      'y',
      'qr',
    ];
    const query = (names: readonly string[]) =>
      Array.from(
        { length: Math.floor(next() * 5) },
        () => `${pick(names)}${pick(['', '=', '=1', '=a;b', '=%26to=1'])}`,
      ).join('&');
    for (let round = 0; round < 3000; round += 1) {
      const own = query([...SPELLINGS, ...UTM_KEYS]);
      const visitor = `${query([...SPELLINGS, ...UTM_KEYS])}&${noise(3)}`;
      const { location } = visitTo(`https://acme.com/?${own}`, {}, visitor, 'append');
      const arrived = [...new URL(location).searchParams];
      const expected = [...new URL(`https://acme.com/?${own}`).searchParams];
      const isUtm = ([name]: [string, string]) => (UTM_KEYS as readonly string[]).includes(name);
      const ownNames = new Set(expected.map(([name]) => name));
      expect({ own, visitor, arrived: arrived.filter((one) => ownNames.has(one[0]) && !isUtm(one)) }).toEqual({
        ...{ own, visitor, arrived: expected.filter((one) => !isUtm(one)) },
      });
    }
  });

  test("with the policy override the visitor's value of a parameter is the one that arrives", () => {
    for (let round = 0; round < 500; round += 1) {
      const name = pick(['utm_source', 'utm_medium', 'x', 'y']);
      const value = `v${round}`;
      const { location } = visitTo('https://acme.com/?x=1&utm_source=o', { utm_medium: 'm' }, `${name}=${value}`);
      expect(new URL(location).searchParams.getAll(name)).toEqual([value]);
    }
  });
});
