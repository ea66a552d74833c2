import assert from 'node:assert/strict';
import { waitFor } from '@waymark/shared/testing/wait-for';
import { ApiClient, type Answer } from './api-client.js';
import { takeDomainThroughItsLife } from './custom-domain.js';
import { Receiver } from './receiver.js';
import { countBy, expectedOf, planVisits, visit } from './visits.js';

export interface Demo {
  base_url: string;
  short_url: string;
  workspace: string;
  dns_servers: string;
  users: Record<string, { email: string; password: string; token: string }>;
}

export type Step = (line: string) => void;

/** The main job from sign-in to the audit log, on a running system; throws at the first thing that is not as it must be. */
export async function runScenario(demo: Demo, step: Step): Promise<Record<string, unknown>> {
  const { workspace, owner, startedAt, browser, minted, api } = await begin(demo, step);

  step('register a webhook endpoint');
  const receiver = await Receiver.start();
  try {
    const endpoint = await api.expect(201, 'POST', `${workspace}/webhooks`, {
      url: receiver.url,
      event_types: ['scan.logged'],
    });
    receiver.useSecret(endpoint.body.meta.signing_secret as string);

    step('create a link with UTM defaults, and change it');
    const link = await createLink(api, workspace);

    const visits = planVisits();
    const expected = expectedOf(visits);
    step(`visit it ${visits.length} times`);
    for (const planned of visits) {
      const { status, location } = await visit(demo.short_url, link.short_code, planned);
      assert.equal(status, 302);
      assert.equal(location, 'https://example.com/spring?ref=x&utm_source=newsletter&utm_medium=email');
    }

    step('compare analytics with what is known from the visits');
    await checkScans(api, workspace, link.id, expected);
    await checkSummary(api, workspace, link.id, expected);

    step('compare the webhook events');
    await waitFor('one event per counted scan', () => eventsOf(receiver, link.id).length >= expected.scans, 30_000);
    assert.equal(eventsOf(receiver, link.id).length, expected.scans);
    assert.deepEqual(receiver.rejected, []);
    await checkDeliveries(api, workspace, endpoint, expected.scans);

    step('read the audit log');
    await checkAudit(api, workspace, owner.email, startedAt, [minted, endpoint], link.id);

    step('see that other workspaces see nothing');
    await checkStrangers(demo, workspace, link.id);

    const domain = await takeDomainThroughItsLife(demo, api, workspace, step);

    step('revoke the token');
    await browser.expect(204, 'DELETE', `${workspace}/tokens/${minted.body.data.id}`);
    await api.expect(401, 'GET', '/api/user');

    return { visits: visits.length, ...expected, webhook_events: eventsOf(receiver, link.id).length, domain };
  } finally {
    await receiver.stop();
  }
}

/** As the owner: in a browser, and with a token that was made there. */
export async function begin(demo: Demo, step: Step) {
  const workspace = `/api/v1/workspaces/${demo.workspace}`;
  const owner = demo.users['owner']!;
  const startedAt = new Date().toISOString();

  step('sign in and create a token');
  const browser = await signIn(demo, owner);
  const minted = await browser.expect(201, 'POST', `${workspace}/tokens`, { name: 'end to end' });
  const api = ApiClient.bearer(demo.base_url, minted.body.meta.plaintext_token as string);
  return { workspace, owner, startedAt, browser, minted, api };
}

async function signIn(demo: Demo, user: { email: string; password: string }): Promise<ApiClient> {
  const anybody = new ApiClient(demo.base_url, {});
  const { headers, body } = await anybody.expect(200, 'POST', '/api/v1/session', {
    email: user.email,
    password: user.password,
  });
  const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
  return new ApiClient(demo.base_url, { cookie, 'x-csrf-token': body.meta.csrf_token as string });
}

async function createLink(api: ApiClient, workspace: string): Promise<{ id: string; short_code: string }> {
  const { body } = await api.expect(201, 'POST', `${workspace}/links`, {
    destination_url: 'https://example.com/spring?ref=x',
    title: 'Spring',
    campaign_tag: 'spring-26',
    utm_defaults: { utm_source: 'newsletter' },
  });
  const link = body.data as { id: string; short_code: string };
  await api.expect(200, 'PATCH', `${workspace}/links/${link.id}`, { utm_defaults: { utm_medium: 'email' } });
  const shown = await api.get(`${workspace}/links/${link.id}`);
  assert.deepEqual(shown.body.data.utm_defaults, {
    utm_source: 'newsletter',
    utm_medium: 'email',
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
  });
  return link;
}

type Expected = ReturnType<typeof expectedOf>;

export interface Row {
  device: string;
  trigger: string;
  referrer: string;
  campaign: string;
  is_unique: boolean;
  is_bot: boolean;
}

async function checkScans(api: ApiClient, workspace: string, linkId: string, expected: Expected): Promise<void> {
  const path = `${workspace}/analytics/scans?link_id=${linkId}&per_page=100`;
  const total = async () => (await api.get(`${path}&include_bots=true`)).body.meta.total as number;
  await waitFor('every counted visit as a row', async () => (await total()) >= expected.counted, 30_000);
  const all = await rowsOf(api, `${path}&include_bots=true`);
  const people = await rowsOf(api, path);
  assert.equal(all.length, expected.counted);
  assert.equal(all.filter((row) => row.is_bot).length, expected.bots);
  assert.equal(people.length, expected.scans);
  assert.deepEqual(
    countBy(people, (row) => row.device),
    expected.devices,
  );
  assert.deepEqual(
    countBy(people, (row) => row.trigger),
    expected.triggers,
  );
  assert.deepEqual(
    countBy(people, (row) => row.referrer),
    expected.referrers,
  );
  assert.equal(people.filter((row) => row.is_unique).length, expected.visitors);
  assert.ok(people.every((row) => row.campaign === 'spring-26'));
}

/** Every row of every page. */
export async function rowsOf(api: ApiClient, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await api.get(`${path}&page=${page}`);
    rows.push(...(body.data as Row[]));
    if (page >= (body.meta.last_page as number)) return rows;
  }
}

async function checkSummary(api: ApiClient, workspace: string, linkId: string, expected: Expected): Promise<void> {
  const { body } = await api.get(`${workspace}/analytics/summary?link_id=${linkId}`);
  const { kpis, trend, devices } = body.data as {
    kpis: Record<string, number>;
    trend: { date: string; scans: number; unique_visitors: number }[];
    devices: { device: string; scans: number; share: number }[];
  };
  assert.equal(kpis['total_scans'], expected.scans);
  assert.equal(kpis['bot_scans'], expected.bots);
  assert.equal(kpis['active_links'], 1);
  assert.equal(kpis['unique_visitors'], expected.visitors);
  assert.deepEqual(Object.fromEntries(devices.map(({ device, scans }) => [device, scans])), expected.devices);
  assert.deepEqual(
    devices.map(({ scans }) => scans),
    Object.values(expected.devices).sort((a, b) => b - a),
  );
  assert.equal(trend.length, 30);
  assert.equal(
    trend.reduce((sum, { scans }) => sum + scans, 0),
    expected.scans,
  );
  assert.equal(trend.at(-1)!.scans + trend.at(-2)!.scans, expected.scans);
}

function eventsOf(receiver: Receiver, linkId: string) {
  return [...receiver.events.values()].filter(
    (event) => event.type === 'scan.logged' && event.data.link?.id === linkId,
  );
}

export async function checkDeliveries(
  api: ApiClient,
  workspace: string,
  endpoint: Answer,
  scans: number,
): Promise<void> {
  const path = `${workspace}/webhooks/${endpoint.body.data.id}/deliveries`;
  await waitFor('every attempt in the log', async () => ((await api.get(path)).body.meta.total as number) >= scans);
  const { body } = await api.get(path);
  assert.ok(body.data.every((attempt: { status: string; status_code: number }) => attempt.status_code === 204));
}

async function checkAudit(
  api: ApiClient,
  workspace: string,
  email: string,
  startedAt: string,
  created: Answer[],
  linkId: string,
): Promise<void> {
  const targets = [...created.map(({ body }) => body.data.id as string), linkId];
  const wanted = ['session.created', 'token.created', 'webhook.created', 'link.created', 'link.updated'];
  const path = `${workspace}/audit-logs?actor=${encodeURIComponent(email)}&from=${startedAt}&per_page=100`;
  await waitFor('an entry for each change', async () => {
    const { body } = await api.get(path);
    const entries = body.data as { action: string; target: { id: string } | null; actor: { email: string } }[];
    const ours = entries.filter(
      ({ action, target }) => action.startsWith('session.') || targets.includes(target?.id ?? ''),
    );
    const actions = new Set(ours.map(({ action }) => action));
    return wanted.every((action) => actions.has(action)) && ours.every(({ actor }) => actor.email === email);
  });
}

async function checkStrangers(demo: Demo, workspace: string, linkId: string): Promise<void> {
  const outsider = ApiClient.bearer(demo.base_url, demo.users['outsider']!.token);
  await outsider.expect(403, 'GET', `${workspace}/links/${linkId}`);
  await outsider.expect(403, 'GET', `${workspace}/analytics/scans`);
  const elsewhere = '/api/v1/workspaces/globex';
  await outsider.expect(404, 'GET', `${elsewhere}/links/${linkId}`);
  const { body } = await outsider.get(`${elsewhere}/analytics/scans?link_id=${linkId}&include_bots=true`);
  assert.equal(body.meta.total, 0);
}
