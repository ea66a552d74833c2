import mongoose, { type Collection } from 'mongoose';
import { findDomain, findDomainUsage, resolveHost } from '@waymark/contract/requests';
import type { Role } from '@waymark/contract/roles';
import { waitFor } from '@waymark/testing/wait-for';
import { LENIENT } from '@waymark/testing/service-caller';
import { DomainService } from './domain-service.js';

let service: DomainService;
/** The service makes no checks here, so the domains do not change on their own. */
beforeAll(async () => (service = await DomainService.start({ pollMs: 3_600_000 })));
afterAll(() => service.stop());

const WORDS = ['go', 'links', 'to', 'l', 'get'];
let hosts = 0;
/** Returns a hostname that no other test uses. */
const newHost = () => `${WORDS[(hosts += 1) % WORDS.length]}-${hosts}.acme.com`;

async function registered(hostname = newHost(), workspace = 'acme') {
  const { status, body } = await service.register(hostname, { workspace });
  if (status !== 201) throw new Error(`registering ${hostname} got ${status}`);
  return body.data as { id: string; hostname: string; dns: { txt: { name: string; value: string } } };
}

const NO_SETTINGS = {
  root_url: null,
  not_found_url: null,
  expired_url: null,
  indexable: false,
  apple_app_site_association: null,
  assetlinks: null,
};

describe('registering a domain', () => {
  test('a registration returns 201 with the DNS records and the location', async () => {
    const { status, headers, body } = await service.register('go.acme.com');
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`http://api.ours.com/api/v1/workspaces/acme/domains/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^dom_[0-9A-Z]{26}$/),
        hostname: 'go.acme.com',
        hostname_unicode: null,
        status: 'pending',
        dns: {
          txt: { name: '_waymark-challenge.go.acme.com', value: expect.stringMatching(/^[a-z2-7]{32}$/) },
          cname: { name: 'go.acme.com', target: 'go.ours.com' },
        },
        ...NO_SETTINGS,
        last_checked_at: null,
        last_error: null,
        verified_at: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      },
    });
    expect((await service.call('GET', `/domains/${body.data.id}`)).body.data).toMatchObject({ id: body.data.id });
  });

  test.each([
    ['GO.Upper.Acme.com', 'go.upper.acme.com'],
    [' go.space.acme.com ', 'go.space.acme.com'],
    ['go.dot.acme.com.', 'go.dot.acme.com'],
    ['bücher.acme.com', 'xn--bcher-kva.acme.com'],
    ['XN--BCHER-KVA.acme.org', 'xn--bcher-kva.acme.org'],
    ['ｇｏ。wide.acme.com', 'go.wide.acme.com'],
    ['straße.acme.com', 'xn--strae-oqa.acme.com'],
    ['acme.com', 'acme.com'],
    ['acme.co.uk', 'acme.co.uk'],
    ['acme.github.io', 'acme.github.io'],
    ['почта.онлайн', 'xn--80a1acny.xn--80asehdb'],
    ['go.example.com', 'go.example.com'],
  ])('the hostname %s is registered as %s', async (given, hostname) => {
    const { status, body } = await service.register(given);
    expect([status, body.data?.hostname]).toEqual([201, hostname]);
  });

  test.each([
    ['nothing', undefined],
    ['no text', 7],
    ['a list', ['go.acme.com']],
    ['empty text', ''],
    ['a single label', 'localhost'],
    ['an IPv4 address', '203.0.113.9'],
    ['a short IPv4 address', '127.1'],
    ['a hexadecimal IPv4 address', '0x7f.0.0.1'],
    ['an IPv6 address', '[::1]'],
    ['a wildcard', '*.acme.com'],
    ['an underscore', '_x.acme.com'],
    ['a port', 'go.acme.com:8080'],
    ['a URL', 'https://go.acme.com'],
    ['a path', 'go.acme.com/x'],
    ['credentials', 'me@go.acme.com'],
    ['an empty label', 'go..acme.com'],
    ['a hyphen at the start', '-go.acme.com'],
    ['a hyphen at the end', 'go-.acme.com'],
    ['a label of 64 characters', `${'a'.repeat(64)}.acme.com`],
    ['no room for the challenge', `${'a.'.repeat(112)}acme.com`],
    ['300 characters', `${'a'.repeat(300)}.com`],
    ['bad punycode', 'xn--a.acme.com'],
    ['a space inside', 'go acme.com'],
    ['a percent sign', 'go%2eacme.com'],
    ['half a character', 'go\ud800.acme.com'],
    ['our short host', 'go.ours.com'],
    ['another name of our short host', 'S.ours.com'],
    ['the host of our API', 'api.ours.com'],
    ['a top-level domain', 'com'],
    ['a public suffix', 'co.uk'],
    ['a public suffix in capitals', 'KAWASAKI.JP'],
    ['an internal name', 'db.svc.cluster.local'],
    ['a metadata name', 'metadata.google.internal'],
    ['a name for tests', 'go.acme.test'],
    ['an undelegated top-level domain', 'go.acme.nosuchtld'],
    ['one that never will be', 'foo.mail'],
    ['a name of a Kubernetes service', 'redirect.waymark.svc'],
    ['an onion', 'waymark.onion'],
    ['a reverse name', '9.113.0.203.in-addr.arpa'],
  ])('a registration with %s returns 422 on hostname', async (_what, hostname) => {
    const { status, body } = await service.register(hostname);
    expect([status, body.error.code, Object.keys(body.error.details)]).toEqual([
      422,
      'validation_failed',
      ['hostname'],
    ]);
  });

  test('a hostname that leaves no room for the challenge is rejected with the reason', async () => {
    const { body } = await service.register(`${'a.'.repeat(112)}acme.com`);
    expect(body.error.details).toEqual({ hostname: ['The hostname must be at most 230 characters.'] });
  });

  test('a second registration in the same workspace returns 422, and in another workspace 201', async () => {
    const { hostname } = await registered();
    expect((await service.register(hostname.toUpperCase())).status).toBe(422);
    expect((await service.register(hostname, { workspace: 'globex' })).status).toBe(201);
  });

  test('a registration rejects unknown fields, or ignores them when the client prefers that', async () => {
    const hostname = newHost();
    const sent = { hostname, status: 'verified', verified_at: '2026-01-31T12:00:00.000Z', workspace: 'globex' };
    expect((await service.call('POST', '/domains', { body: sent })).status).toBe(422);
    const { status, body } = await service.call('POST', '/domains', { body: sent, headers: LENIENT });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ status: 'pending', verified_at: null });
  });

  test('a registration publishes an event with the actor and without the challenge', async () => {
    const { id, hostname, dns } = await registered();
    const [event] = await waitFor('the event', () => service.eventsOf(id).length > 0 && service.eventsOf(id));
    expect(event).toEqual({
      type: 'domain.created',
      workspace: 'acme',
      actor: expect.objectContaining({ type: 'user', id: 'usr_1' }),
      audit: {
        target: { type: 'domain', id, label: hostname },
        changes: {
          hostname: { from: null, to: hostname },
          status: { from: null, to: 'pending' },
          indexable: { from: null, to: false },
        },
      },
      domain: { id, revision: 1, hostname, status: 'pending', ...NO_SETTINGS },
    });
    expect(JSON.stringify(event)).not.toContain(dns.txt.value);
  });

  test('ten concurrent registrations with one Idempotency-Key make one domain and one response', async () => {
    const options = { body: { hostname: newHost() }, headers: { 'idempotency-key': 'once' } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.call('POST', '/domains', options)));
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
    const again = await service.call('POST', '/domains', options);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([made[0]!.body, 'true']);
    const other = await service.call('POST', '/domains', { ...options, body: { hostname: newHost() } });
    expect(other.status).toBe(409);
  });
});

describe('the limit of the plan', () => {
  const register = (workspace: string, customDomains: number) =>
    service.register(newHost(), { workspace, customDomains });

  test('the limit of the plan is exact for concurrent registrations', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => register('crowded', 5)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([422, 'validation_failed']);
      expect(body.error.details).toEqual({
        quota: ['The limit of this workspace is 5 custom domains.'],
        resource: 'custom_domains',
        limit: 5,
        current: 5,
        reason: 'quota_exceeded',
      });
    }
    expect((await service.call('GET', '/domains', { workspace: 'crowded' })).body.data).toHaveLength(5);
  });

  test('the error for a limit of one uses the singular', async () => {
    await register('single', 1);
    const { body } = await register('single', 1);
    expect(body.error.details.quota).toEqual(['The limit of this workspace is 1 custom domain.']);
  });

  test('one of fifty concurrent registrations gets the last place', async () => {
    await register('last', 2);
    const answers = await Promise.all(Array.from({ length: 50 }, () => register('last', 2)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(49).fill(422)]);
  });

  test('the limit allows a registration after a deletion, and none after a smaller plan', async () => {
    const { body } = await register('small', 1);
    expect((await register('small', 1)).status).toBe(422);
    await service.call('DELETE', `/domains/${body.data.id}`, { workspace: 'small' });
    expect((await register('small', 1)).status).toBe(201);
    expect((await register('small', 2)).status).toBe(201);
    const smaller = await register('small', 1);
    expect(smaller.body.error.details).toMatchObject({ limit: 1, current: 2 });
  });

  test('an unlimited plan ends at the maximum of domains', async () => {
    const process = await DomainService.start({ pollMs: 3_600_000, domainsMax: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await process.register(newHost())).status);
    expect(statuses).toEqual([201, 201, 422]);
    await process.stop();
  });

  test('a limit of zero rejects every registration, and no limit accepts it', async () => {
    expect((await register('none', 0)).body.error.details).toMatchObject({ limit: 0, current: 0 });
    expect((await service.register(newHost(), { workspace: 'unlimited' })).status).toBe(201);
  });

  test('failed registrations do not count towards the limit', async () => {
    const { hostname } = await registered(newHost(), 'careful');
    for (let i = 0; i < 3; i += 1) await service.register(hostname, { workspace: 'careful', customDomains: 2 });
    expect((await register('careful', 2)).status).toBe(201);
  });
});

describe('the list', () => {
  test('the list has every domain of the workspace, newest first, and none of another', async () => {
    const made = [await registered(newHost(), 'listed'), await registered(newHost(), 'listed')];
    await registered(newHost(), 'unlisted');
    const { status, body } = await service.call('GET', '/domains', { workspace: 'listed' });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data']);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(made.map(({ id }) => id).reverse());
  });
});

describe('the not_found_url', () => {
  const patch = (id: string, not_found_url: unknown) =>
    service.call('PATCH', `/domains/${id}`, { body: { not_found_url } });

  test('the not_found_url is set, kept by an empty body, and cleared by null, with one event per change', async () => {
    const { id, hostname } = await registered();
    const set = await patch(id, 'https://www.acme.com/lost?a=1#top');
    expect([set.status, set.body.data.not_found_url]).toEqual([200, 'https://www.acme.com/lost?a=1#top']);
    expect((await service.call('PATCH', `/domains/${id}`, { body: {} })).body).toEqual(set.body);
    expect((await patch(id, 'https://www.acme.com/lost?a=1#top')).body).toEqual(set.body);
    expect((await patch(id, null)).body.data.not_found_url).toBeNull();
    expect(await service.eventTypesOf(id, 3)).toEqual(['domain.created', 'domain.updated', 'domain.updated']);
    expect(service.eventsOf(id)[1]).toMatchObject({
      audit: {
        target: { type: 'domain', id, label: hostname },
        changes: { not_found_url: { from: null, to: 'https://www.acme.com/lost?a=1#top' } },
      },
      domain: { revision: 2, not_found_url: 'https://www.acme.com/lost?a=1#top' },
    });
  });

  test.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['//evil.com'],
    ['\\\\evil.com'],
    ['ftp://acme.com/'],
    ['https://me:secret@acme.com/'],
    ['https://acme.com/\r\nSet-Cookie: a=b'],
    ['https://acme.com/\u0000'],
    ['https://'],
    ['acme.com'],
    ['https://ac\u200bme.com/'],
    ['https://acme%2ecom/'],
    ['https://-/'],
    [`https://acme.com/${'é'.repeat(400)}`],
    [''],
    [7],
    [['https://acme.com']],
    [{ $ne: null }],
    ['https://go.ours.com/x'],
    ['http://GO.ours.com:81/x'],
    ['https://s.ours.com./x'],
    ['https://api.ours.com/'],
  ])('%j returns 422 on not_found_url', async (url) => {
    const { id } = await registered();
    const { status, body } = await patch(id, url);
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['not_found_url']]);
    expect((await service.call('GET', `/domains/${id}`)).body.data.not_found_url).toBeNull();
  });

  test('a not_found_url of more than 2048 characters returns 422', async () => {
    const { id } = await registered();
    expect((await patch(id, `https://acme.com/${'x'.repeat(2048)}`)).status).toBe(422);
  });

  test('a not_found_url that leads to its own domain returns 422', async () => {
    const one = await registered();
    expect((await patch(one.id, `https://${one.hostname.toUpperCase()}.:444/`)).status).toBe(422);
  });

  test('twenty concurrent changes of the not_found_url publish one event per response', async () => {
    const { id } = await registered();
    const urls = Array.from({ length: 20 }, (_, i) => `https://www.acme.com/${i}`);
    const answers = await Promise.all(urls.map((url) => patch(id, url)));
    const done = answers.filter(({ status }) => status === 200).length;
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    await service.eventTypesOf(id, done + 1);
    const revisions = service.eventsOf(id).map(({ domain }) => domain.revision);
    expect(revisions).toEqual(Array.from({ length: done + 1 }, (_, i) => i + 1));
  });
});

const ASSOCIATION = {
  applinks: {
    details: [{ appIDs: ['ABCDE12345.com.acme.app'], components: [{ '/': '/*', comment: 'Every link – ü' }] }],
  },
  webcredentials: { apps: ['ABCDE12345.com.acme.app'] },
};
const ASSET_LINKS = [
  {
    relation: ['delegate_permission/common.handle_all_urls'],
    target: { namespace: 'android_app', package_name: 'com.acme.app', sha256_cert_fingerprints: ['14:6D:E9'] },
  },
];
const SETTINGS = {
  root_url: 'https://www.acme.com/',
  not_found_url: 'https://www.acme.com/lost',
  expired_url: 'https://www.acme.com/over',
  indexable: true,
  apple_app_site_association: ASSOCIATION,
  assetlinks: ASSET_LINKS,
};
const textOf = (size: number) => ({
  webcredentials: { apps: ['x'.repeat(size - '{"webcredentials":{"apps":[""]}}'.length)] },
});
const KB_64 = 64 * 1024;

describe('the settings of the host', () => {
  const patch = (id: string, body: object) => service.call('PATCH', `/domains/${id}`, { body });
  const changeStored = async (change: (domains: Collection<{ _id: string }>) => Promise<unknown>) => {
    const connection = await mongoose.createConnection(service.backing.MONGODB_URI).asPromise();
    await change(connection.collection<{ _id: string }>('domains'));
    await connection.close();
  };

  test('are those of the registration, and the event has the files as text, the audit entry their hashes', async () => {
    const { status, body } = await service.call('POST', '/domains', { body: { hostname: newHost(), ...SETTINGS } });
    expect([status, body.data]).toEqual([201, expect.objectContaining(SETTINGS)]);
    const { id } = body.data;
    await service.eventTypesOf(id, 1);
    const [event] = service.eventsOf(id);
    const texts = {
      apple_app_site_association: JSON.stringify(ASSOCIATION),
      assetlinks: JSON.stringify(ASSET_LINKS),
    };
    expect(event!.domain).toMatchObject({ ...SETTINGS, ...texts });
    expect(event!.audit!.changes).toMatchObject({
      root_url: { from: null, to: SETTINGS.root_url },
      expired_url: { from: null, to: SETTINGS.expired_url },
      indexable: { from: null, to: true },
      apple_app_site_association: { from: null, to: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      assetlinks: { from: null, to: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    });
    expect(await service.requester.ask(findDomain, { workspace: 'acme', id }, 5000)).toMatchObject({
      domain: { ...SETTINGS, ...texts },
    });
  });

  test('are changed one by one, kept when absent, and removed by null, with one event per change', async () => {
    const { id } = await registered();
    for (const [field, value] of Object.entries(SETTINGS)) {
      const { status, body } = await patch(id, { [field]: value });
      expect([status, body.data[field]]).toEqual([200, value]);
      expect((await patch(id, { [field]: value })).headers.get('etag')).toBe(
        (await service.call('GET', `/domains/${id}`)).headers.get('etag'),
      );
    }
    expect((await patch(id, {})).body.data).toMatchObject(SETTINGS);
    const { status, body } = await patch(id, NO_SETTINGS);
    expect([status, body.data]).toEqual([200, expect.objectContaining(NO_SETTINGS)]);
    await service.eventTypesOf(id, 8);
    const changed = service.eventsOf(id).map(({ audit }) => Object.keys(audit!.changes));
    expect(changed.slice(1)).toEqual([...Object.keys(SETTINGS).map((field) => [field]), Object.keys(SETTINGS)]);
  });

  test('of a domain that was stored without them are empty, and can be set', async () => {
    const { id } = await registered();
    const fields = { rootUrl: 1, expiredUrl: 1, isIndexable: 1, appleAppSiteAssociation: 1, assetlinks: 1 } as const;
    await changeStored((domains) => domains.updateOne({ _id: id }, { $unset: fields }));
    expect((await service.call('GET', `/domains/${id}`)).body.data).toMatchObject(NO_SETTINGS);
    expect((await patch(id, NO_SETTINGS)).body.data).toMatchObject(NO_SETTINGS);
    expect(await service.eventTypesOf(id, 1)).toEqual(['domain.created']);
    expect((await patch(id, SETTINGS)).body.data).toMatchObject(SETTINGS);
  });

  test('are shown by the list without the files', async () => {
    const options = { workspace: 'with-files', body: { hostname: newHost(), ...SETTINGS } };
    await service.call('POST', '/domains', options);
    for (const query of ['', '?page=1']) {
      const { body } = await service.call('GET', `/domains${query}`, { workspace: 'with-files' });
      expect(body.data).toEqual([expect.objectContaining({ root_url: SETTINGS.root_url, indexable: true })]);
      expect(Object.keys(body.data[0]).filter((name) => /^a/.test(name))).toEqual([]);
    }
  });

  test('keep every name in a file', async () => {
    const body =
      '{"apple_app_site_association":{"applinks":{"details":[{"$a.b":{},"":1}]},"activitycontinuation":{"apps":[]}}}';
    const { id } = await registered();
    await service.raw('PATCH', `/domains/${id}`, body, 'application/json');
    const shown = await service.call('GET', `/domains/${id}`);
    expect(shown.body.data).toMatchObject(JSON.parse(body));
  });

  test('have files of at most 64 kB each as JSON text, and both fit into one request', async () => {
    const { id } = await registered();
    const files = (size: number) => ({
      apple_app_site_association: textOf(size),
      assetlinks: [{ include: 'x'.repeat(size - '[{"include":""}]'.length) }],
    });
    expect((await patch(id, files(KB_64))).status).toBe(200);
    const { status, body } = await patch(id, files(KB_64 + 1));
    expect(status).toBe(422);
    expect(body.error.details).toEqual({
      apple_app_site_association: ['The apple_app_site_association must be at most 65536 bytes of JSON.'],
      assetlinks: ['The assetlinks must be at most 65536 bytes of JSON.'],
    });
    const escaped = JSON.stringify(files(KB_64)).replaceAll('x', '\\u0078');
    expect(escaped.length).toBeGreaterThan(750_000);
    expect((await service.raw('PATCH', `/domains/${id}`, escaped, 'application/json')).status).toBe(200);
  });

  test.each([
    [{ root_url: 'javascript:alert(1)' }, ['root_url']],
    [{ expired_url: 'https://go.ours.com/' }, ['expired_url']],
    [{ root_url: 'https://go.ours.com/', not_found_url: 'https://api.ours.com/' }, ['root_url', 'not_found_url']],
    [{ root_url: 'http://10.0.0.1/', expired_url: 'http://localhost:3000/' }, ['root_url', 'expired_url']],
    [{ indexable: 'yes' }, ['indexable']],
    [{ indexable: null }, ['indexable']],
    [{ apple_app_site_association: [] }, ['apple_app_site_association']],
    [{ apple_app_site_association: '{}' }, ['apple_app_site_association']],
    [{ apple_app_site_association: {} }, ['apple_app_site_association']],
    [{ apple_app_site_association: { links: {} } }, ['apple_app_site_association']],
    [{ apple_app_site_association: { applinks: [] } }, ['apple_app_site_association.applinks']],
    [{ apple_app_site_association: { applinks: { details: {} } } }, ['apple_app_site_association.applinks.details']],
    [{ apple_app_site_association: { applinks: { details: ['x'] } } }, ['apple_app_site_association.applinks.details']],
    [{ apple_app_site_association: { appclips: {} } }, ['apple_app_site_association.appclips.apps']],
    [
      { apple_app_site_association: { webcredentials: { apps: [1] } } },
      ['apple_app_site_association.webcredentials.apps'],
    ],
    [{ assetlinks: {} }, ['assetlinks']],
    [{ assetlinks: ['x'] }, ['assetlinks.0']],
    [{ assetlinks: [ASSET_LINKS[0], { relation: 'x', target: {} }] }, ['assetlinks.1']],
    [{ assetlinks: [{ relation: ['x'], target: 'com.acme.app' }] }, ['assetlinks.0']],
    [{ assetlinks: [{ target: {} }] }, ['assetlinks.0']],
  ])('%j returns 422 on %j, in PATCH and POST', async (fields, names) => {
    const { id } = await registered();
    for (const answer of [
      await patch(id, fields),
      await service.call('POST', '/domains', { body: { hostname: newHost(), ...fields } }),
    ]) {
      expect([answer.status, Object.keys(answer.body.error.details)]).toEqual([422, names]);
    }
    expect((await service.call('GET', `/domains/${id}`)).body.data).toMatchObject(NO_SETTINGS);
  });
});

test.each([
  ['bücher.acme.net', 'bücher.acme.net'],
  ['почта.acme.net', 'почта.acme.net'],
  ['ハローワーク大阪.acme.net', 'ハローワーク大阪.acme.net'],
  ['서울大.acme.net', '서울大.acme.net'],
  ['pаypal.acme.net', null],
  ['go.acme.net', null],
])('a hostname (%s) is shown as people write it, unless it is ASCII or mixes scripts', async (given, unicode) => {
  const { status, body } = await service.register(given);
  expect([status, body.data.hostname_unicode]).toEqual([201, unicode]);
  const { data } = (await service.call('GET', '/domains')).body;
  expect(data.find(({ id }: { id: string }) => id === body.data.id).hostname_unicode).toBe(unicode);
});

describe('removing a domain', () => {
  test('a deletion returns 204 once, publishes an event and removes the challenge', async () => {
    const { id, hostname, dns } = await registered();
    expect((await service.call('DELETE', `/domains/${id}`)).status).toBe(204);
    expect((await service.call('DELETE', `/domains/${id}`)).status).toBe(404);
    expect((await service.call('GET', `/domains/${id}`)).status).toBe(404);
    expect(await service.eventTypesOf(id, 2)).toEqual(['domain.created', 'domain.deleted']);
    expect(service.eventsOf(id)[1]!.domain).toEqual({
      id,
      revision: 2,
      hostname,
      status: 'pending',
      ...NO_SETTINGS,
    });
    const again = await registered(hostname);
    expect(again.id).not.toBe(id);
    expect(again.dns.txt.value).not.toBe(dns.txt.value);
  });
});

test.each([
  ['x=1', 'text/plain', 415],
  ['<x/>', 'application/xml', 415],
  ['{', 'application/json', 400],
  ['{}', 'application/json', 202],
])('a check asked for with %s as %s, where no body is needed, answers %i', async (body, type, status) => {
  const { id } = await registered();
  expect((await service.raw('POST', `/domains/${id}/verify`, body, type)).status).toBe(status);
});

describe('who may', () => {
  const ROLES: Role[] = ['owner', 'admin', 'editor', 'analyst', 'viewer'];

  test.each(ROLES)('%s may read; only owner and admin may write', async (role) => {
    const { id } = await registered();
    const call = (method: string, path: string, body?: unknown) => service.call(method, path, { role, body });
    const writes = role === 'owner' || role === 'admin';
    expect((await call('GET', '/domains')).status).toBe(200);
    expect((await call('GET', `/domains/${id}`)).status).toBe(200);
    expect((await call('POST', '/domains', { hostname: newHost() })).status).toBe(writes ? 201 : 403);
    expect((await call('PATCH', `/domains/${id}`, {})).status).toBe(writes ? 200 : 403);
    expect((await call('POST', `/domains/${id}/verify`)).status).toBe(writes ? 202 : 403);
    expect((await call('DELETE', `/domains/${id}`)).status).toBe(writes ? 204 : 403);
  });

  test.each(['dom_01J00000000000000000000000', 'nonsense', '%00', '$ne'])(
    'an unknown id (%s) returns 404',
    async (id) => {
      for (const [method, path] of verbsOn(id)) expect((await service.call(method, path)).status).toBe(404);
    },
  );

  test('a domain of another workspace returns 404 for every method and is unchanged', async () => {
    const { id } = await registered();
    for (const [method, path] of verbsOn(id)) {
      expect((await service.call(method, path, { workspace: 'globex' })).status).toBe(404);
    }
    expect((await service.call('GET', `/domains/${id}`)).status).toBe(200);
  });

  const verbsOn = (id: string): [string, string][] => [
    ['GET', `/domains/${id}`],
    ['PATCH', `/domains/${id}`],
    ['POST', `/domains/${id}/verify`],
    ['DELETE', `/domains/${id}`],
  ];
});

test('other services find a domain by workspace and id, and only verified hosts', async () => {
  const { id, hostname } = await registered();
  const domain = { id, revision: 1, hostname, status: expect.any(String), ...NO_SETTINGS };
  expect(await service.requester.ask(findDomain, { workspace: 'acme', id }, 5000)).toEqual({ domain });
  expect(await service.requester.ask(findDomain, { workspace: 'globex', id }, 5000)).toEqual({ domain: null });
  expect(await service.requester.ask(resolveHost, { hostname }, 5000)).toEqual({ owner: null, is_gone: false });
  const plan = { name: 'pro' as const, activeLinks: 5000, customDomains: 10, entitlements: [] };
  const { usage } = await service.requester.ask(findDomainUsage, { workspace: 'acme', plan }, 5000);
  const { total } = (await service.call('GET', '/domains?page=1')).body.meta;
  expect(usage).toEqual({ domains: { used: total, limit: 10 } });
  expect(total).toBeGreaterThan(0);
});

test('domains are listed completely or in pages', async () => {
  const workspace = 'paged';
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.unshift((await registered(newHost(), workspace)).id);
  const listed = async (query: string) => {
    const { body } = await service.call('GET', `/domains${query}`, { workspace });
    return [body.data.map(({ id }: { id: string }) => id), body.meta?.total];
  };
  expect(await listed('')).toEqual([ids, undefined]);
  expect(await listed('?per_page=2&page=2')).toEqual([ids.slice(2), 3]);
});

test('the older prefix registers, changes and deletes a domain, with its own location', async () => {
  const older = { workspace: 'older', unversioned: true };
  const { status, headers, body } = await service.register(newHost(), older);
  const path = `/domains/${body.data.id}`;
  expect([status, headers.get('location')]).toEqual([201, `http://api.ours.com/api/workspaces/older${path}`]);
  const not_found_url = 'https://example.com/none';
  const changed = await service.call('PATCH', path, { ...older, body: { not_found_url } });
  expect([changed.status, changed.body.data.not_found_url]).toEqual([200, not_found_url]);
  expect((await service.call('DELETE', path, older)).status).toBe(204);
  expect((await service.call('GET', path, older)).status).toBe(404);
});
