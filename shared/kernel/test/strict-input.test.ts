import fc from 'fast-check';
import leven from 'leven';
import type { ApiRequest } from '@waymark/kernel/http/api';
import { paginated } from '@waymark/kernel/http/reply';
import { nearestTo } from '@waymark/kernel/http/unknown-names';
import { SmallService } from '@waymark/testing/small-service';
import type { CallOptions } from '@waymark/testing/service-caller';

let resource: SmallService;
let analytics: SmallService;
let seen: ApiRequest[];
beforeAll(async () => {
  const handler = (request: ApiRequest) => {
    seen.push(request);
    return Promise.resolve(paginated({ items: [], total: 40 }, { page: { page: 2, perPage: 15 }, url: request.url }));
  };
  resource = await SmallService.start({ service: 'resource', handler });
  analytics = await SmallService.start({ service: 'analytics', handler });
});
afterAll(async () => {
  await resource?.stop();
  await analytics?.stop();
});
beforeEach(() => {
  seen = [];
});

const LENIENT = { headers: { prefer: 'handling=lenient' } };
const LINK = { destination_url: 'https://example.com/' };

async function detailsOf(method: string, path: string, body?: unknown, options: CallOptions = {}, service = resource) {
  const answer = await service.caller.call(method, path, { ...options, body });
  return answer.status === 422 ? answer.body.error.details : answer.status;
}

describe('an unknown query parameter', () => {
  test('is refused with 422 and the nearest known name', async () => {
    expect(await detailsOf('GET', '/links?stauts=active')).toEqual({
      stauts: ['There is no parameter "stauts". Did you mean "status"?'],
    });
  });

  test('gets a suggestion when its letters are in another order, even if it is short', async () => {
    const expected = { paeg: ['There is no parameter "paeg". Did you mean "page"?'] };
    expect(await detailsOf('GET', '/folders?paeg=2')).toEqual(expected);
  });

  test('is refused with 422 and all known names when none is near', async () => {
    expect(await detailsOf('GET', '/links/imports/imp_1?verbose=1')).toEqual({
      verbose: ['There is no parameter "verbose": this operation takes none.'],
    });
    expect(await detailsOf('GET', '/folders?verbose=1')).toEqual({
      verbose: ['There is no parameter "verbose". The parameters are: page, per_page.'],
    });
  });

  test.each(['POST', 'DELETE', 'PATCH'])('is refused on a %s, too', async (method) => {
    const path = method === 'POST' ? '/links' : '/links/lnk_1';
    expect(await detailsOf(method, `${path}?dry_run=true`, method === 'DELETE' ? undefined : LINK)).toEqual({
      dry_run: ['There is no parameter "dry_run": this operation takes none.'],
    });
    expect(seen).toEqual([]);
  });

  test('is reported once when a known name is given with brackets', async () => {
    expect(await detailsOf('GET', '/links?status[]=active')).toEqual({
      status: ['The status must be given once, without brackets.'],
    });
  });

  test('is reported together with every other problem', async () => {
    expect(Object.keys(await detailsOf('GET', '/links?page=0&pge=1'))).toEqual(['pge', 'page']);
  });
});

describe('an unknown body field', () => {
  test('is refused with 422 and its name on a DELETE, which accepts none', async () => {
    expect(await detailsOf('DELETE', '/links/lnk_1', { force: true })).toEqual({
      force: ['There is no field "force": this operation takes none.'],
    });
    expect(seen).toEqual([]);
    expect(await detailsOf('DELETE', '/links/lnk_1', {})).toBe(204);
    expect(await detailsOf('DELETE', '/links/lnk_1', { force: true }, LENIENT)).toBe(204);
  });

  test.each([
    ['POST', '/links', { ...LINK, titel: 'x' }, { titel: ['There is no field "titel". Did you mean "title"?'] }],
    [
      'POST',
      '/links',
      { ...LINK, utm_defaults: { utm_sauce: 'x' } },
      { 'utm_defaults.utm_sauce': ['There is no field "utm_sauce". Did you mean "utm_defaults.utm_source"?'] },
    ],
    [
      'POST',
      '/links',
      { ...LINK, utm_source: 'x' },
      { utm_source: ['There is no field "utm_source". Did you mean "utm_defaults.utm_source"?'] },
    ],
    [
      'PATCH',
      '/folders/fld_1',
      { id: 'fld_2' },
      { id: ['There is no field "id". The fields are: name, description, color.'] },
    ],
  ])('is refused with 422 and a suggestion on %s %s (%#)', async (method, path, body, details) => {
    expect(await detailsOf(method, path, body)).toEqual(details);
    expect(seen).toEqual([]);
  });

  test('is refused when the operation accepts no fields', async () => {
    const handler = () => Promise.resolve({ body: { data: { id: 'att_1' } } });
    const service = await SmallService.start({ service: 'webhook', handler });
    const path = '/webhooks/whk_1/test';
    expect(await detailsOf('POST', path, { event_type: 'x' }, {}, service)).toEqual({
      event_type: ['There is no field "event_type": this operation takes none.'],
    });
    expect(await detailsOf('POST', path, {}, {}, service)).toBe(202);
    expect(await detailsOf('POST', path, undefined, {}, service)).toBe(202);
    await service.stop();
  });

  test.each(['constructor', '__proto__', 'toString', ''])('may be called %j', async (name) => {
    const body = `{"destination_url":"https://example.com/","${name}":{"a":1}}`;
    const answer = await resource.caller.raw('POST', '/links', {
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.error.details as object)).toEqual([name]);
  });

  test('is accepted in a free-form object', async () => {
    const body = { id: 'lnk_1', source: 'shop', meta: { anything: { at: ['all'] } } };
    expect(await detailsOf('POST', '/conversions', body, {}, analytics)).toBe(201);
  });

  test('is counted beyond the first twenty, so that the answer stays short', async () => {
    const body = { ...LINK, ...Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1])) };
    const details = await detailsOf('POST', '/links', body);
    expect(Object.keys(details as object)).toHaveLength(21);
    expect(details.body).toEqual(['There are 4980 more unknown names.']);
    const long = { ...LINK, ['x'.repeat(10_000)]: 1 };
    expect(JSON.stringify(await detailsOf('POST', '/links', long)).length).toBeLessThan(600);
  });
});

describe('lenient handling', () => {
  test('ignores unknown names and says so', async () => {
    const answer = await resource.caller.call('POST', '/links?dry=1', { ...LENIENT, body: { ...LINK, titel: 'x' } });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([201, 'handling=lenient']);
    expect(seen[0]!.body).not.toHaveProperty('titel');
  });

  test('applies only when the request prefers it', async () => {
    const answer = await resource.caller.call('GET', '/links');
    expect(answer.headers.has('preference-applied')).toBe(false);
    const other = { headers: { prefer: 'return=minimal, wait=5, handling=other' } };
    expect(await detailsOf('GET', '/links?x=1', undefined, other)).toHaveProperty('x');
  });

  test.each([
    'handling=lenient',
    'return=minimal, handling=lenient',
    'Handling="lenient"; foo=1',
    ' handling = lenient',
  ])('applies with "Prefer: %s"', async (prefer) => {
    expect(await detailsOf('GET', '/links?x=1', undefined, { headers: { prefer } })).toBe(200);
  });

  test('omits the ignored parameters from the links to other pages', async () => {
    const { body } = await resource.caller.call('GET', '/links?role=owner&search=a%20b&page=2', LENIENT);
    expect(body.links.next).toBe('http://api.test/api/v1/workspaces/acme/links?search=a+b&page=3');
  });

  test('still refuses an invalid known field', async () => {
    expect(await detailsOf('GET', '/links?x=1&page=0', undefined, LENIENT)).toEqual({
      page: ['The page must be at least 1.'],
    });
  });
});

describe('the unversioned prefix', () => {
  test('ignores unknown names', async () => {
    const body = { ...LINK, titel: 'x' };
    expect(await detailsOf('POST', '/links?dry=1', body, { unversioned: true })).toBe(201);
  });

  test('refuses unknown names when the request prefers strict handling', async () => {
    const options = { unversioned: true, headers: { prefer: 'handling=strict' } };
    const answer = await resource.caller.call('GET', '/links?x=1', options);
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([422, 'handling=strict']);
    expect(answer.body.errors).toHaveProperty('x');
  });
});

test('an unknown name gets a suggestion exactly when one has few other letters, or the same ones', () => {
  const lettersOf = (name: string) => [...name].sort().join('');
  const isNear = (a: string, b: string) => {
    const distance = lettersOf(a) === lettersOf(b) ? 1 : leven(a, b);
    return distance <= 3 && distance <= 0.4 * Math.max(a.length, b.length);
  };
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(name, fc.array(name), (given, known) => {
      expect(nearestTo(given, known) !== undefined).toBe(known.some((each) => isNear(given, each)));
    }),
  );
});
