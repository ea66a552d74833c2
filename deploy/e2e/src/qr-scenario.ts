import assert from 'node:assert/strict';
import { waitFor } from '@waymark/shared/testing/wait-for';
import type { ApiClient } from './api-client.js';
import { Receiver } from './receiver.js';
import { begin, checkDeliveries, rowsOf, type Demo, type Row, type Step } from './scenario.js';
import { countBy, expectedOf, planVisits, visit } from './visits.js';

type Expected = ReturnType<typeof expectedOf>;
interface QrCode {
  id: string;
  short_code: string;
  short_url: string;
}

const ABSENT = ['links', 'folders', 'tags', 'utm-templates', 'domains', 'links/imports/imp_1', 'analytics/breakdown'];

/** The main job of the QR codes deployment, from sign-in to the audit log; throws at the first thing that is wrong. */
export async function runQrScenario(demo: Demo, step: Step): Promise<Record<string, unknown>> {
  const { workspace, owner, startedAt, api } = await begin(demo, step);

  step('register a webhook endpoint');
  const receiver = await Receiver.start();
  try {
    const event_types = ['scan.logged', 'qr_code.archived'];
    const endpoint = await api.expect(201, 'POST', `${workspace}/webhooks`, { url: receiver.url, event_types });
    receiver.useSecret(endpoint.body.meta.signing_secret as string);

    step('create a QR code, change it and fetch its image');
    const qrCode = await createQrCode(api, workspace);
    await checkImages(demo, owner.token, `${workspace}/qr-codes/${qrCode.id}`);

    const visits = planVisits();
    const expected = expectedOf(visits);
    step(`scan it ${visits.length} times`);
    for (const planned of visits) {
      const { status, location } = await visit(demo.short_url, qrCode.short_code, planned);
      assert.deepEqual([status, location], [302, 'https://example.com/expo?utm_source=print']);
    }

    step('compare analytics with what is known from the scans');
    await checkAnalytics(api, workspace, qrCode.id, expected);

    step('compare the webhook events');
    const logged = () => [...receiver.events.values()].filter(({ type }) => type === 'scan.logged');
    await waitFor('one event per counted scan', () => logged().length >= expected.scans, 30_000);
    assert.ok(logged().every(({ data }) => data.qr_code?.id === qrCode.id && data.link === undefined));
    assert.equal(logged().length, expected.scans);
    await checkDeliveries(api, workspace, endpoint, expected.scans);

    step('archive it, take it back, and delete it');
    await checkStates(demo, api, workspace, qrCode);
    await waitFor('its event', () => [...receiver.events.values()].some(({ type }) => type === 'qr_code.archived'));
    assert.deepEqual(receiver.rejected, []);

    step('read the audit log');
    await checkAudit(api, workspace, startedAt, qrCode.id);

    step('see that there is nothing of the links deployment');
    for (const path of ABSENT) await api.expect(404, 'GET', `${workspace}/${path}`);
    await api.expect(404, 'POST', `${workspace}/conversions`, { id: qrCode.id, source: 'shop' });
    return { visits: visits.length, ...expected, webhook_events: logged().length };
  } finally {
    await receiver.stop();
  }
}

async function createQrCode(api: ApiClient, workspace: string): Promise<QrCode> {
  const { body } = await api.expect(201, 'POST', `${workspace}/qr-codes`, {
    destination_url: 'https://example.com/fair',
    title: 'Poster',
    campaign_tag: 'expo-26',
    utm_defaults: { utm_source: 'print' },
    style: { foreground: '#1a3c8c', error_correction: 'Q' },
  });
  const { id } = body.data as QrCode;
  const change = { destination_url: 'https://example.com/expo' };
  const changed = await api.expect(200, 'PATCH', `${workspace}/qr-codes/${id}`, change);
  assert.equal(changed.body.data.style.foreground, '#1a3c8c');
  return changed.body.data as QrCode;
}

async function checkImages({ base_url }: Demo, token: string, path: string): Promise<void> {
  for (const [format, type] of [
    ['svg', 'image/svg+xml'],
    ['png', 'image/png'],
  ] as const) {
    const headers = { authorization: `Bearer ${token}` };
    const image = await fetch(`${base_url}${path}/image?format=${format}&size=600`, { headers });
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, type]);
  }
}

async function checkAnalytics(api: ApiClient, workspace: string, id: string, expected: Expected): Promise<void> {
  const path = `${workspace}/analytics/scans?qr_code_id=${id}&per_page=100`;
  const total = async () => (await api.get(`${path}&include_bots=true`)).body.meta.total as number;
  await waitFor('every counted scan as a row', async () => (await total()) >= expected.counted, 30_000);
  assert.equal(await total(), expected.counted);
  const rows: (Row & { qr_code_id?: string })[] = await rowsOf(api, path);
  assert.equal(rows.length, expected.scans);
  assert.deepEqual(
    countBy(rows, (row) => row.device),
    expected.devices,
  );
  assert.ok(rows.every((row) => row.qr_code_id === id && !('link_id' in row) && !('trigger' in row)));

  const { kpis } = (await api.get(`${workspace}/analytics/summary?qr_code_id=${id}`)).body.data;
  const { scans, visitors, bots } = expected;
  const { active_qr_codes, ...figures } = kpis as Record<string, number>;
  assert.ok(active_qr_codes! >= 1);
  assert.deepEqual(figures, { total_scans: scans, unique_visitors: visitors, bot_scans: bots });
  const counted = async () => (await api.get(`${workspace}/qr-codes/${id}`)).body.data.scans_count as number;
  await waitFor('every scan in its count', async () => (await counted()) >= scans, 30_000);
  assert.equal(await counted(), scans);
}

/** The edge follows each state. */
async function checkStates(demo: Demo, api: ApiClient, workspace: string, qrCode: QrCode): Promise<void> {
  const path = `${workspace}/qr-codes/${qrCode.id}`;
  const statusBecomes = (status: number) =>
    waitFor(`the edge to answer ${status}`, async () => {
      const answer = await fetch(`${demo.short_url}/${qrCode.short_code}`, { method: 'HEAD', redirect: 'manual' });
      return answer.status === status;
    });
  await api.expect(200, 'PATCH', path, { status: 'archived' });
  await statusBecomes(410);
  await api.expect(200, 'PATCH', path, { status: 'active' });
  await statusBecomes(302);
  await api.expect(204, 'DELETE', path);
  await statusBecomes(404);
}

async function checkAudit(api: ApiClient, workspace: string, startedAt: string, id: string): Promise<void> {
  const path = `${workspace}/audit-logs?action=qr_code.*&from=${startedAt}&per_page=100`;
  const wanted = ['archived', 'created', 'deleted', 'reactivated', 'updated'].map((verb) => `qr_code.${verb}`);
  await waitFor('an entry for each change', async () => {
    const entries = (await api.get(path)).body.data as { action: string; target: { id: string } }[];
    const actions = entries.filter(({ target }) => target.id === id).map(({ action }) => action);
    return actions.sort().join() === wanted.join();
  });
}
