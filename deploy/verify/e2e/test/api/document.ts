import mongoose from 'mongoose';
import type { Deployment } from '@waymark/contract/deployments';
import { linksClient } from '@waymark/client';
import { backing, type SystemSettings } from '@waymark/launcher/process-table';
import { waitFor } from '@waymark/testing/wait-for';
import { takeDomainThroughItsLife } from '../../src/custom-domain.js';
import { Receiver } from '../../src/receiver.js';
import { runCommand } from '../admin.js';
import type { Ask, Caller } from './caller.js';
import type { ApiTests } from './context.js';
import { rawRequest } from './raw-request.js';

/** A path to read, for which the test has created items; `…` is the workspace. */
interface Reading {
  path: string;
  query?: Record<string, string>;
  as?: Ask['as'];
}

const RANGE = {
  start_date: '2026-01-01',
  end_date: 'all',
  timezone: 'Asia/Kathmandu',
  device: '!mobile,tablet',
  campaign: 'x\\,y,none',
  country: 'DE,US',
  city: '!unknown',
  language: 'de,unknown',
};

/** A domain that has no record. */
const UNPROVED = 'read.example.com';

const READINGS: Readonly<Record<Deployment, (caller: Caller) => Promise<Reading[]>>> = {
  links: async (caller) => {
    const { id, short_code } = await caller.made('POST', '…/links', { destination_url: 'https://example.com/' });
    await visit(caller, short_code as string);
    await caller.made('POST', '…/conversions', { id, source: 'read' });
    const { id: importId } = await caller.made('POST', '…/links/import', { csv: 'destination_url\nnone\n' });
    const [folder, tag, template] = await Promise.all(
      ['folders', 'tags', 'utm-templates'].map((kind) => caller.made('POST', `…/${kind}`, { name: 'Read' })),
    );
    const { id: domainId } = await caller.made('POST', '…/domains', { hostname: UNPROVED });
    return [
      { path: '…/links', query: { status: 'active', search: 'x', sort: 'title', page: '1', per_page: '2' } },
      { path: '…/links/export', query: { status: 'active', search: 'x', sort: 'title' } },
      { path: '…/analytics/links', query: { ids: `${id},lnk_unknown`, days: '2', timezone: 'Asia/Kathmandu' } },
      { path: `…/links/${id}` },
      { path: `…/links/${id}/qr`, query: { format: 'png', size: '128' } },
      { path: '…/links/imports', query: { per_page: '5' } },
      { path: `…/links/imports/${importId}` },
      { path: `…/links/imports/${importId}/rows`, query: { outcome: 'failed' } },
      ...['folders', 'tags', 'utm-templates', 'domains'].map((kind) => ({ path: `…/${kind}` })),
      { path: `…/folders/${folder.id}` },
      { path: `…/tags/${tag.id}` },
      { path: `…/utm-templates/${template.id}` },
      { path: `…/domains/${domainId}` },
      {
        path: '…/conversions',
        query: { status: 'recorded', link_id: id as string, sort: '-updated_at', from: '2026-01-01' },
      },
      { path: '…/analytics/breakdown', query: { dimension: 'country', limit: '5', trigger: 'link' } },
      {
        path: '…/analytics/breakdowns',
        query: { dimensions: 'link,country,hour,language,domain,tag,folder', trigger: '!qr' },
      },
      {
        path: '…/analytics/conversions/breakdowns',
        query: { dimensions: 'link,campaign,source', source: '!app', link_id: `${id},lnk_unknown`, limit: '5' },
      },
      ...analytics({
        link_id: 'all',
        trigger: 'all',
        domain_id: 'none',
        tag_id: `none,${tag.id}`,
        folder_id: `!${folder.id}`,
      }),
      ...(await inBoth(caller)),
    ];
  },
  qr: async (caller) => {
    const { id, short_code } = await caller.made('POST', '…/qr-codes', { destination_url: 'https://example.com/' });
    await visit(caller, short_code as string);
    return [
      { path: '…/qr-codes', query: { status: 'archived', per_page: '100' } },
      { path: '…/qr-codes/export', query: { status: 'active' } },
      { path: '…/analytics/qr-codes', query: { ids: id as string } },
      { path: `…/qr-codes/${id}` },
      { path: `…/qr-codes/${id}/image`, query: { format: 'svg' } },
      { path: '…/analytics/breakdowns', query: { dimensions: 'qr_code,weekday', limit: '1' } },
      ...analytics({ qr_code_id: id as string }),
      ...(await inBoth(caller)),
    ];
  },
};

const analytics = (own: Record<string, string>): Reading[] => [
  { path: '…/analytics/summary', query: { ...RANGE, ...own } },
  { path: '…/analytics/summary' },
  { path: '…/analytics/summary', query: { interval: 'week', compare: 'previous_year' } },
  { path: '…/analytics/scans', query: { ...own, page: '1', per_page: '10' } },
  { path: '…/analytics/filters', query: { search: 'x' } },
  { path: '…/analytics/export', query: own },
];

async function inBoth(caller: Caller): Promise<Reading[]> {
  const { id } = await caller.made('POST', '…/webhooks', {
    url: 'http://127.0.0.1:65535/',
    event_types: ['scan.logged'],
  });
  const { delivery_id: delivery } = await caller.made('POST', `…/webhooks/${id}/test`);
  const { meta } = (await caller.call('POST', '…/invitations', { body: { role: 'viewer' } })).body;
  return [
    { path: `/invitations/${meta.invite_url.split('#').at(-1)}`, as: 'nobody' },
    { path: '…/invitations' },
    { path: '/openapi.json', as: 'nobody' },
    { path: '/session/methods', as: 'nobody' },
    { path: '/user' },
    { path: '/sessions', as: 'browser' },
    { path: '/workspaces' },
    { path: '…' },
    { path: '…/members' },
    { path: '…/tokens' },
    { path: '…/webhooks' },
    { path: `…/webhooks/${id}` },
    { path: `…/webhooks/${id}/deliveries`, query: { page: '1' } },
    { path: `…/webhooks/${id}/deliveries/${delivery}` },
    { path: '…/audit-logs', query: { action: 'webhook.*', actor: 'owner@example.com', from: '2026-01-01' } },
    { path: '…/audit-logs' },
    { path: '…/audit-logs/export' },
    { path: '…/audit-logs/verify' },
  ];
}

/** Waits until analytics has counted one scan, so that none of its lists is empty. */
async function visit(caller: Caller, shortCode: string): Promise<void> {
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  const url = `${caller.demo.short_url}/${shortCode}`;
  await waitFor('the edge to know it', async () => {
    const { status } = await fetch(url, { redirect: 'manual', headers: browser });
    return status === 302;
  });
  await waitFor('the scan', async () => (await caller.call('GET', '…/analytics/scans')).body.meta.total > 0);
}

/**
 * Operations that need a one-time link, a mail server, an OpenID provider or another member to succeed, or end the
 * workspace: the tests of auth show these.
 */
const NEEDS_MORE = [
  'POST /api/v1/password-reset',
  'POST /api/v1/password-reset-request',
  'GET /api/v1/session/oidc',
  'GET /api/v1/session/oidc/callback',
  'DELETE /api/v1/workspaces/{workspace}',
  'DELETE /api/v1/workspaces/{workspace}/members/me',
];

/** Lets the verification of the unproved domain have begun long ago, so that it fails at once. */
async function failVerification(settings: SystemSettings): Promise<void> {
  const database = await mongoose.createConnection(backing(settings, 'domain')['MONGODB_URI']!).asPromise();
  const longAgo = { statusSince: new Date(0), nextCheckAt: new Date(0) };
  const { matchedCount } = await database.collection('domains').updateOne({ hostname: UNPROVED }, { $set: longAgo });
  await database.close();
  expect(matchedCount).toBe(1);
}

/** The OpenAPI document describes everything that is answered and sent. */
export function documentTests({ deployment, running, caller, conformance, problemsOf }: ApiTests): void {
  /** Receives events of all types. */
  let receiver: Receiver;
  let endpoint: string;
  let readings: Reading[];

  beforeAll(async () => {
    receiver = await Receiver.start();
    const { body } = await caller().call('POST', '…/webhooks', {
      body: { url: receiver.url, event_types: conformance().eventTypes.filter((type) => type !== 'webhook.test') },
    });
    receiver.useSecret(body.meta.signing_secret);
    endpoint = body.data.id;
    readings = await READINGS[deployment](caller());
  });
  afterAll(() => receiver?.stop());

  test('tells of an attempt that is made once more', async () => {
    const { id } = await caller().made('POST', '…/webhooks', {
      url: 'http://127.0.0.1:65535/',
      event_types: ['scan.logged'],
    });
    const { delivery_id: delivery } = await caller().made('POST', `…/webhooks/${id}/test`);
    const path = `…/webhooks/${id}/deliveries/${delivery}/retry`;
    const problems = await waitFor('the first attempt to be over', async () => {
      const found = await problemsOf('POST', path);
      return [...conformance().succeeded].some((key) => key.endsWith('/retry')) && found;
    });
    expect(problems).toEqual([]);
  });

  test('tells of everything that is read what it is', async () => {
    const problems: string[] = [];
    for (const { path, ...ask } of readings) {
      problems.push(...(await problemsOf('GET', path, ask)));
    }
    expect(problems).toEqual([]);
  });

  test('tells of what is read under the older prefix, which is the same', async () => {
    const problems: string[] = [];
    const read = new Set<string>();
    const headers = { authorization: `Bearer ${running().demo.users['owner']!.token}` };
    for (const { path, query } of readings) {
      const asked = path.replace('…', `/workspaces/${running().demo.workspace}`);
      if (!conformance().hasTwin('GET', `/api/v1${asked}`)) continue;
      const search = query ? `?${new URLSearchParams(query).toString()}` : '';
      const get = (prefix: string) =>
        rawRequest(`${running().demo.base_url}${prefix}${asked}${search}`, { method: 'GET', headers });
      // Repeats until the data does not change between the two requests.
      await waitFor(`${asked} to be the same`, async () => {
        const [older, newer] = [await get('/api'), await get('/api/v1')];
        const isJson = older.headers.get('content-type')?.startsWith('application/json') ?? false;
        if (isJson) {
          const answer = JSON.parse(older.text);
          const expected = JSON.parse(newer.text.replaceAll('/api/v1/', '/api/'));
          // It is the time of the request while all scans are counted.
          if (expected.meta?.data_as_of) expected.meta.data_as_of = answer.meta.data_as_of;
          expect([expected, expected.data]).toContainEqual(answer);
          problems.push(...conformance().problemsOf({ method: 'GET', path: `/api${asked}`, query, ...older, answer }));
        } else expect(older.text).toBe(newer.text);
        return true;
      });
      read.add(path);
    }
    expect(problems).toEqual([]);
    expect(read.size).toBeGreaterThan(10);
  });

  test('tells of nothing else', () => {
    const left = conformance().keys.filter((key) => key.includes(' /api/v1/') && !conformance().succeeded.has(key));
    expect(left.filter((key) => !NEEDS_MORE.includes(key))).toEqual([]);
  });

  test('tells of what receivers of webhooks have been sent of all this', async () => {
    if (deployment === 'links') {
      const { base_url: baseUrl, users } = running().demo;
      const api = linksClient({ baseUrl, token: users['owner']!.token });
      expect(await takeDomainThroughItsLife(running().demo, api, () => undefined)).toBe('removed');
      await failVerification(running().system.settings);
    }
    await caller().made('POST', `…/webhooks/${endpoint}/test`);
    const content = deployment === 'links' ? '…/links' : '…/qr-codes';
    await caller().made('POST', content, {
      destination_url: 'https://example.com/',
      expires_at: '2020-01-01T00:00:00Z',
    });
    const { id } = await caller().made('POST', content, { destination_url: 'https://example.com/blocked' });
    const link = (...args: string[]) => runCommand(running(), { service: 'resource', args: ['link', ...args] });
    await link('block', id, '--reason', 'Phishing');
    await link('unblock', id);
    const unheard = () => {
      const heard = new Set([...receiver.events.values()].map(({ type }) => type));
      return conformance().eventTypes.filter((type) => !heard.has(type));
    };
    await waitFor('an event of every type', () => {
      if (unheard().length > 0) throw new Error(`nothing was heard of ${unheard().join(', ')}`);
      return true;
    });
    expect([...receiver.events.values()].flatMap((event) => conformance().problemsOfEvent(event))).toEqual([]);
    expect(receiver.rejected).toEqual([]);
  });

  test('gives a scan the same fields in the list, in the export and in its event', async () => {
    const [row] = await caller().made('GET', '…/analytics/scans');
    const [header] = (await caller().call('GET', '…/analytics/export')).text.replace('\ufeff', '').split('\r\n');
    const logged = [...receiver.events.values()].find(({ type }) => type === 'scan.logged');
    const names = Object.keys(row).sort();
    expect(header!.replaceAll('"', '').split(',').sort()).toEqual(names);
    expect(Object.keys((logged!.data as { scan: object }).scan).sort()).toEqual(names);
  });

  test('tells of the errors of every operation, under both prefixes', async () => {
    const problems: string[] = [];
    const seen = new Set<number>();
    for (const key of conformance().keys) {
      const [method, template] = key.split(' ') as [string, string];
      const path = template.replace('{workspace}', running().demo.workspace).replace(/\{\w+\}/g, 'none_1');
      for (const bad of badRequests(method)) {
        const { status, headers, text } = await rawRequest(running().demo.base_url + path, bad);
        if (status < 300) continue;
        const isJson = headers.get('content-type')?.includes('json') ?? false;
        const exchange = { method, path, status, headers, answer: isJson ? JSON.parse(text) : null };
        problems.push(...conformance().problemsOf(exchange));
        seen.add(status);
      }
    }
    expect(problems).toEqual([]);
    expect([...seen].sort()).toEqual(expect.arrayContaining([400, 401, 403, 404, 413, 415, 422]));
  });

  test('names what is missing, and the nearest route of a path that no route has', async () => {
    const { demo } = running();
    const authorization = `Bearer ${demo.users['owner']!.token}`;
    const workspace = `/api/v1/workspaces/${demo.workspace}`;
    const answers: [method: string, path: string, message: string, body?: object][] = [
      ['GET', `${workspace}/webhooks/whk_x`, 'There is no webhook whk_x in this workspace.'],
      ['GET', `${workspace}/webhooks/%00%E2%80%AEx`, 'There is no webhook ??x in this workspace.'],
      ['PATCH', `${workspace}/members/usr_x`, 'There is no member usr_x in this workspace.', { role: 'viewer' }],
      ['GET', `${workspace}/webhook`, NO_ROUTE('/webhook', '/webhooks')],
      ['GET', `${workspace}/webhooks/`, NO_ROUTE('/webhooks/', '/webhooks')],
      [
        'GET',
        workspace.replace('v1', 'v2'),
        'There is no route GET /api/v2/workspaces/{workspace}. Did you mean /api/v1/workspaces/{workspace}?',
      ],
      ['GET', `${workspace}/nothing/like/it`, NO_ROUTE('/nothing/like/it')],
      ...(deployment === 'links' ? linksMissing(workspace) : []),
    ];
    for (const [method, path, message, body] of answers) {
      const { status, text } = await rawRequest(demo.base_url + path, {
        method,
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect([path, status, JSON.parse(text).error]).toEqual([path, 404, { code: 'not_found', message }]);
    }
  });

  /** Requests without a credential, with one of another workspace, or with a malformed, oversized or invalid body. */
  function badRequests(method: string): { method: string; headers: Record<string, string>; body?: string }[] {
    const json = { 'content-type': 'application/json' };
    const [owner, outsider] = ['owner', 'outsider'].map((name) => ({
      authorization: `Bearer ${running().demo.users[name]!.token}`,
    }));
    const wrong = method === 'POST' || method === 'PATCH' ? [{ headers: { ...owner, ...json }, body: '[1]' }] : [];
    return [
      { headers: {} },
      { headers: { ...outsider } },
      { headers: { ...owner, ...json }, body: '{' },
      { headers: { ...owner, 'content-type': 'text/plain' }, body: 'text' },
      { headers: { ...owner, ...json, 'content-length': '100000000' } },
      ...wrong,
    ].map((each) => ({ method, ...each }));
  }
}

const NO_ROUTE = (path: string, nearest?: string): string =>
  `There is no route GET /api/v1/workspaces/{workspace}${path}.${nearest ? ` Did you mean ${nearest}?` : ''}`;

const linksMissing = (workspace: string): [string, string, string, object?][] => [
  ['GET', `${workspace}/links/lnk_x`, 'There is no link lnk_x in this workspace.'],
  ['GET', `${workspace}/utm-templates/utm_x`, 'There is no UTM template utm_x in this workspace.'],
  [
    'POST',
    `${workspace}/conversions`,
    'There is no link with the short_code nope123 in this workspace.',
    { short_code: 'nope123', source: 'shop' },
  ],
];
