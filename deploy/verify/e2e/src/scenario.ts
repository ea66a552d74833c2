import assert from 'node:assert/strict';
import { linksClient, type LinksClient, type LinksSchemas } from '@waymark/client';
import { waitFor } from '@waymark/testing/wait-for';
import { answered } from './calls.js';
import { takeDomainThroughItsLife } from './custom-domain.js';
import type { Demo, Step } from './demo.js';
import { Receiver } from './receiver.js';
import { countBy, expectedOf, planVisits, visit, waitForLocation } from './visits.js';

/** Where the changed link leads. */
const LOCATION = 'https://example.com/spring?ref=x&utm_source=newsletter&utm_medium=email';

/** The main job from sign-in to the audit log, on a running system; throws at the first wrong result. */
export async function runScenario(demo: Demo, step: Step): Promise<Record<string, unknown>> {
  const { owner, startedAt, browser, minted, token } = await begin(demo, step);
  const api = linksClient({ baseUrl: demo.base_url, token });
  const inWorkspace = { workspace: demo.workspace };

  step('register a webhook endpoint');
  const receiver = await Receiver.start();
  try {
    const endpoint = await answered(
      201,
      api.POST('/api/v1/workspaces/{workspace}/webhooks', {
        params: { path: inWorkspace },
        body: { url: receiver.url, event_types: ['scan.logged'] },
      }),
    );
    receiver.useSecret(endpoint.meta.signing_secret);

    step('create a link with UTM defaults, and change it');
    const link = await createLink(api, demo.workspace);

    const visits = planVisits();
    const expected = expectedOf(visits);
    await waitForLocation(demo.short_url, link.short_code, LOCATION);
    step(`visit it ${visits.length} times`);
    for (const planned of visits) {
      const { status, location } = await visit(demo.short_url, link.short_code, planned);
      assert.equal(status, 302);
      assert.equal(location, LOCATION);
    }

    step('compare analytics with what is known from the visits');
    await checkScans(api, demo.workspace, link.id, expected);
    await checkSummary(api, demo.workspace, link.id, expected);

    step('compare the webhook events');
    await waitFor('one event per counted scan', () => eventsOf(receiver, link.id).length >= expected.scans, 30_000);
    assert.equal(eventsOf(receiver, link.id).length, expected.scans);
    assert.deepEqual(receiver.rejected, []);
    await checkDeliveries(api, { ...inWorkspace, id: endpoint.data.id }, expected.scans);

    step('read the audit log');
    const changed = [minted.id, endpoint.data.id, link.id];
    await checkAudit(api, demo.workspace, owner.email, startedAt, changed);

    step('see that other workspaces see nothing');
    await checkStrangers(demo, link.id);

    const domain = await takeDomainThroughItsLife(demo, api, step);

    step('revoke the token');
    const path = { ...inWorkspace, tokenId: minted.id };
    await answered(204, browser.DELETE('/api/v1/workspaces/{workspace}/tokens/{tokenId}', { params: { path } }));
    await answered(401, api.GET('/api/v1/user'));

    return { visits: visits.length, ...expected, webhook_events: eventsOf(receiver, link.id).length, domain };
  } finally {
    await receiver.stop();
  }
}

/** Signs in as the owner and makes a token. Routes that both deployments have are typed as those of one of them. */
export async function begin(demo: Demo, step: Step) {
  const owner = demo.users['owner']!;
  const startedAt = new Date().toISOString();

  step('sign in and create a token');
  const browser = await signIn(demo, owner);
  const minted = await answered(
    201,
    browser.POST('/api/v1/workspaces/{workspace}/tokens', {
      params: { path: { workspace: demo.workspace } },
      body: { name: 'end to end' },
    }),
  );
  return { owner, startedAt, browser, minted: minted.data, token: minted.meta.plaintext_token };
}

async function signIn(demo: Demo, { email, password }: { email: string; password: string }): Promise<LinksClient> {
  const anybody = linksClient({ baseUrl: demo.base_url });
  const { data, response } = await anybody.POST('/api/v1/session', { body: { email, password } });
  const cookie = response.headers.get('set-cookie')!.split(';', 1)[0]!;
  return linksClient({ baseUrl: demo.base_url, headers: { cookie, 'x-csrf-token': data.meta.csrf_token } });
}

async function createLink(api: LinksClient, workspace: string): Promise<LinksSchemas['Link']> {
  const body = {
    destination_url: 'https://example.com/spring?ref=x',
    title: 'Spring',
    campaign_tag: 'spring-26',
    utm_defaults: { utm_source: 'newsletter' },
  };
  const { data: link } = await answered(
    201,
    api.POST('/api/v1/workspaces/{workspace}/links', { params: { path: { workspace } }, body }),
  );
  const params = { path: { workspace, id: link.id } };
  const change = { utm_defaults: { utm_medium: 'email' } };
  await answered(200, api.PATCH('/api/v1/workspaces/{workspace}/links/{id}', { params, body: change }));
  const shown = await answered(200, api.GET('/api/v1/workspaces/{workspace}/links/{id}', { params }));
  assert.deepEqual(
    { ...shown.data.utm_defaults },
    {
      utm_source: 'newsletter',
      utm_medium: 'email',
      utm_campaign: null,
      utm_term: null,
      utm_content: null,
    },
  );
  return link;
}

type Expected = ReturnType<typeof expectedOf>;

async function checkScans(api: LinksClient, workspace: string, linkId: string, expected: Expected): Promise<void> {
  const paramsOf = (include_bots: boolean) => ({
    params: { path: { workspace }, query: { link_id: linkId, per_page: 100, include_bots } },
  });
  const scans = (include_bots: boolean) =>
    api.paginate('/api/v1/workspaces/{workspace}/analytics/scans', paramsOf(include_bots));
  const total = async () =>
    (await answered(200, api.GET('/api/v1/workspaces/{workspace}/analytics/scans', paramsOf(true)))).meta.total;
  await waitFor('every counted visit as a row', async () => (await total()) >= expected.counted, 30_000);
  const all = await Array.fromAsync(scans(true));
  const people = await Array.fromAsync(scans(false));
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

async function checkSummary(api: LinksClient, workspace: string, linkId: string, expected: Expected): Promise<void> {
  const params = { path: { workspace }, query: { link_id: linkId } };
  const summary = async () =>
    (await answered(200, api.GET('/api/v1/workspaces/{workspace}/analytics/summary', { params }))).data;
  // Its events reach analytics by another queue than its scans.
  await waitFor('analytics to know the link', async () => (await summary()).kpis.active_links === 1, 30_000);
  const { kpis, trend, devices } = await summary();
  assert.equal(kpis.total_scans, expected.scans);
  assert.equal(kpis.bot_scans, expected.bots);
  assert.equal(kpis.unique_visitors, expected.visitors);
  assert.deepEqual(Object.fromEntries(devices.map(({ device, scans }) => [device, scans])), expected.devices);
  assert.deepEqual(
    Array.from(devices, ({ scans }) => scans),
    Object.values(expected.devices).sort((a, b) => b - a),
  );
  assert.equal(trend.length, 30);
  const scansOf = (points: typeof trend) => points.reduce((sum, { scans }) => sum + (scans ?? 0), 0);
  assert.equal(scansOf(trend), expected.scans);
  assert.equal(scansOf(trend.slice(-2)), expected.scans);
}

function eventsOf(receiver: Receiver, linkId: string) {
  return [...receiver.events.values()].filter(
    (event) => event.type === 'scan.logged' && event.data.link?.id === linkId,
  );
}

export async function checkDeliveries(
  api: Pick<LinksClient, 'GET'>,
  path: { workspace: string; id: string },
  scans: number,
): Promise<void> {
  const attempts = () =>
    answered(200, api.GET('/api/v1/workspaces/{workspace}/webhooks/{id}/deliveries', { params: { path } }));
  await waitFor('every attempt in the log', async () => (await attempts()).meta.total >= scans);
  assert.ok((await attempts()).data.every(({ status_code }) => status_code === 204));
}

async function checkAudit(
  api: LinksClient,
  workspace: string,
  email: string,
  startedAt: string,
  targets: string[],
): Promise<void> {
  const wanted = ['session.created', 'token.created', 'webhook.created', 'link.created', 'link.updated'];
  const params = { path: { workspace }, query: { actor: email, from: startedAt, per_page: 100 } };
  await waitFor('an entry for each change', async () => {
    const { data } = await answered(200, api.GET('/api/v1/workspaces/{workspace}/audit-logs', { params }));
    const ours = data.filter(
      ({ action, target }) => action.startsWith('session.') || targets.includes(target?.id ?? ''),
    );
    const actions = new Set(ours.map(({ action }) => action));
    return wanted.every((action) => actions.has(action)) && ours.every(({ actor }) => actor.email === email);
  });
}

async function checkStrangers(demo: Demo, id: string): Promise<void> {
  const outsider = linksClient({ baseUrl: demo.base_url, token: demo.users['outsider']!.token });
  const linkIn = (workspace: string) =>
    outsider.GET('/api/v1/workspaces/{workspace}/links/{id}', { params: { path: { workspace, id } } });
  const scansIn = (workspace: string) =>
    outsider.GET('/api/v1/workspaces/{workspace}/analytics/scans', {
      params: { path: { workspace }, query: { link_id: id, include_bots: true } },
    });
  await answered(403, linkIn(demo.workspace));
  await answered(403, scansIn(demo.workspace));
  await answered(404, linkIn('globex'));
  assert.equal((await answered(200, scansIn('globex'))).meta.total, 0);
}
