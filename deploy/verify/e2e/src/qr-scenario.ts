import assert from 'node:assert/strict';
import { linksClient, qrClient, type LinksClient, type QrClient, type QrSchemas } from '@waymark/client';
import { waitFor } from '@waymark/testing/wait-for';
import { answered } from './calls.js';
import { Receiver } from './receiver.js';
import type { Demo, Step } from './demo.js';
import { begin, checkDeliveries } from './scenario.js';
import { countBy, expectedOf, planVisits, visit, waitForLocation } from './visits.js';

type Expected = ReturnType<typeof expectedOf>;
type QrCode = QrSchemas['QrCode'];

/** Where the changed code leads. */
const LOCATION = 'https://example.com/expo?utm_source=print';

/** Resources that only the links deployment has. */
const ABSENT = ['links', 'folders', 'tags', 'utm-templates', 'domains'] as const;

/** The main job of the QR codes deployment, from sign-in to the audit log; throws at the first wrong result. */
export async function runQrScenario(demo: Demo, step: Step): Promise<Record<string, unknown>> {
  const { startedAt, token } = await begin(demo, step);
  const { workspace } = demo;
  const api = qrClient({ baseUrl: demo.base_url, token });
  /** For routes that both deployments have. */
  const linksApi = linksClient({ baseUrl: demo.base_url, token });

  step('register a webhook endpoint');
  const receiver = await Receiver.start();
  try {
    const endpoint = await answered(
      201,
      api.POST('/api/v1/workspaces/{workspace}/webhooks', {
        params: { path: { workspace } },
        body: { url: receiver.url, event_types: ['scan.logged', 'qr_code.archived'] },
      }),
    );
    receiver.useSecret(endpoint.meta.signing_secret);

    step('create a QR code, change it and fetch its image');
    const qrCode = await createQrCode(api, workspace);
    await checkImages(api, { workspace, id: qrCode.id });

    const visits = planVisits();
    const expected = expectedOf(visits);
    await waitForLocation(demo.short_url, qrCode.short_code, LOCATION);
    step(`scan it ${visits.length} times`);
    for (const planned of visits) {
      const { status, location } = await visit(demo.short_url, qrCode.short_code, planned);
      assert.deepEqual([status, location], [302, LOCATION]);
    }

    step('compare analytics with what is known from the scans');
    await checkAnalytics(api, workspace, qrCode.id, expected);

    step('compare the webhook events');
    const logged = () => [...receiver.events.values()].filter(({ type }) => type === 'scan.logged');
    await waitFor('one event per counted scan', () => logged().length >= expected.scans, 30_000);
    assert.ok(logged().every(({ data }) => data.qr_code?.id === qrCode.id && data.link === undefined));
    assert.equal(logged().length, expected.scans);
    await checkDeliveries(linksApi, { workspace, id: endpoint.data.id }, expected.scans);

    step('archive it, take it back, and delete it');
    await checkStates(demo, api, qrCode);
    await waitFor('its event', () => [...receiver.events.values()].some(({ type }) => type === 'qr_code.archived'));
    assert.deepEqual(receiver.rejected, []);

    step('read the audit log');
    await checkAudit(api, workspace, startedAt, qrCode.id);

    step('see that there is nothing of the links deployment');
    await checkAbsent(linksApi, workspace, qrCode.id);
    return { visits: visits.length, ...expected, webhook_events: logged().length };
  } finally {
    await receiver.stop();
  }
}

async function createQrCode(api: QrClient, workspace: string): Promise<QrCode> {
  const created = await answered(
    201,
    api.POST('/api/v1/workspaces/{workspace}/qr-codes', {
      params: { path: { workspace } },
      body: {
        destination_url: 'https://example.com/fair',
        title: 'Poster',
        campaign_tag: 'expo-26',
        utm_defaults: { utm_source: 'print' },
        style: { foreground: '#1a3c8c', error_correction: 'Q' },
      },
    }),
  );
  const changed = await answered(
    200,
    api.PATCH('/api/v1/workspaces/{workspace}/qr-codes/{id}', {
      params: { path: { workspace, id: created.data.id } },
      body: { destination_url: 'https://example.com/expo' },
    }),
  );
  assert.equal(changed.data.style.foreground, '#1a3c8c');
  return changed.data;
}

async function checkImages(api: QrClient, path: { workspace: string; id: string }): Promise<void> {
  for (const [format, type] of [
    ['svg', 'image/svg+xml'],
    ['png', 'image/png'],
  ] as const) {
    const { response } = await api.GET('/api/v1/workspaces/{workspace}/qr-codes/{id}/image', {
      params: { path, query: { format, size: 600 } },
      parseAs: 'arrayBuffer',
    });
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, type]);
  }
}

async function checkAnalytics(api: QrClient, workspace: string, id: string, expected: Expected): Promise<void> {
  const path = '/api/v1/workspaces/{workspace}/analytics/scans';
  const paramsOf = (include_bots: boolean) => ({
    params: { path: { workspace }, query: { qr_code_id: id, per_page: 100, include_bots } },
  });
  const total = async () => (await answered(200, api.GET(path, paramsOf(true)))).meta.total;
  await waitFor('every counted scan as a row', async () => (await total()) >= expected.counted, 30_000);
  assert.equal(await total(), expected.counted);
  const rows = await Array.fromAsync(api.paginate(path, paramsOf(false)));
  assert.equal(rows.length, expected.scans);
  assert.deepEqual(
    countBy(rows, (row) => row.device),
    expected.devices,
  );
  assert.ok(rows.every((row) => row.qr_code_id === id && !('link_id' in row) && !('trigger' in row)));

  const ours = { params: { path: { workspace }, query: { qr_code_id: id } } };
  const { data } = await answered(200, api.GET('/api/v1/workspaces/{workspace}/analytics/summary', ours));
  const { scans, visitors, bots } = expected;
  const { active_qr_codes, ...figures } = data.kpis;
  assert.ok(active_qr_codes >= 1);
  assert.deepEqual(figures, { total_scans: scans, unique_visitors: visitors, bot_scans: bots });
  const counted = async () => {
    const params = { path: { workspace, id } };
    return (await answered(200, api.GET('/api/v1/workspaces/{workspace}/qr-codes/{id}', { params }))).data.scans_count;
  };
  await waitFor('every scan in its count', async () => (await counted()) >= scans, 30_000);
  assert.equal(await counted(), scans);
}

/** Checks that the edge follows each status. */
async function checkStates({ workspace, short_url }: Demo, api: QrClient, { id, short_code }: QrCode): Promise<void> {
  const params = { path: { workspace, id } };
  const change = (status: QrCode['status']) =>
    answered(200, api.PATCH('/api/v1/workspaces/{workspace}/qr-codes/{id}', { params, body: { status } }));
  const statusBecomes = (status: number) =>
    waitFor(`the edge to answer ${status}`, async () => {
      const answer = await fetch(`${short_url}/${short_code}`, { method: 'HEAD', redirect: 'manual' });
      return answer.status === status;
    });
  await change('archived');
  await statusBecomes(410);
  await change('active');
  await statusBecomes(302);
  await answered(204, api.DELETE('/api/v1/workspaces/{workspace}/qr-codes/{id}', { params }));
  await statusBecomes(404);
}

async function checkAudit(api: QrClient, workspace: string, startedAt: string, id: string): Promise<void> {
  const params = { path: { workspace }, query: { action: 'qr_code.*', from: startedAt, per_page: 100 } } as const;
  const wanted = ['archived', 'created', 'deleted', 'reactivated', 'updated'].map((verb) => `qr_code.${verb}`);
  await waitFor('an entry for each change', async () => {
    const { data } = await answered(200, api.GET('/api/v1/workspaces/{workspace}/audit-logs', { params }));
    const actions = data.filter(({ target }) => target?.id === id).map(({ action }) => action);
    return actions.sort().join() === wanted.join();
  });
}

/** Sends the requests of a client of the links deployment. */
async function checkAbsent(api: LinksClient, workspace: string, id: string): Promise<void> {
  const params = { path: { workspace } };
  for (const kind of ABSENT) await answered(404, api.GET(`/api/v1/workspaces/{workspace}/${kind}`, { params }));
  const query = { dimension: 'device' } as const;
  const breakdown = { params: { path: { workspace }, query } };
  await answered(404, api.GET('/api/v1/workspaces/{workspace}/analytics/breakdown', breakdown));
  const body = { id, source: 'shop' };
  await answered(404, api.POST('/api/v1/workspaces/{workspace}/conversions', { params, body }));
}
