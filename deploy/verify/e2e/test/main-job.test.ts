import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linksClient, qrClient } from '@waymark/client';
import { answered } from '@waymark/e2e/calls';
import { timeChanges } from '@waymark/e2e/change-times';
import { nameServerOf, proveDomain } from '@waymark/e2e/custom-domain';
import { runQrScenario } from '@waymark/e2e/qr-scenario';
import { runScenario } from '@waymark/e2e/scenario';
import { readQr, rasterise } from '../../../../services/resource/test/qr-reader.js';
import { everythingKept } from './api/leaks.js';
import { useGeneratedClients } from './generated-clients.js';
import { startSystem, type RunningSystem } from './system.js';

/** Returns where an address of the visits is stored: in any collection, log or message of any service. */
async function visitorAddressesIn({ system }: RunningSystem): Promise<string[]> {
  const found = new Set<string>();
  let scans = 0;
  for await (const [where, text] of everythingKept(system.settings)) {
    if (where === 'analytics.scans') scans += 1;
    if (text.includes('198.51.100.')) found.add(where);
  }
  expect(scans).toBeGreaterThan(100);
  return [...found];
}

/** What a client of either generator finds: two items on a page each, a changed title, and why a body was refused. */
const BY_A_CLIENT = {
  pages: [1, 1],
  are_pages_different: true,
  titles: ['First', 'Changed', 'Changed'],
  scans: expect.any(Number),
  problems: [['destination_url', 'url_invalid']],
  deleted: 204,
};
const BY_EACH_CLIENT = { 'hey-api': BY_A_CLIENT, orval: BY_A_CLIENT };

describe('the links deployment', () => {
  let running: RunningSystem;
  beforeAll(async () => {
    running = await startSystem();
  });
  afterAll(() => running?.stop());

  test('does the main job from sign-in to the audit log', async () => {
    const figures = await runScenario(running.demo, () => undefined);
    expect(figures).toMatchObject({ scans: 122, bots: 24, webhook_events: 122, domain: 'removed' });
  });

  test('is used by clients that other generators make of its description', async () => {
    expect(await useGeneratedClients(running.demo)).toEqual(BY_EACH_CLIENT);
  });

  test('shows visitors every change of a link, and measures how soon', async () => {
    const { demo } = running;
    const names = (await nameServerOf(demo))!;
    const api = linksClient({ baseUrl: demo.base_url, token: demo.users['owner']!.token });
    const hostname = await proveDomain(demo, api, names);
    let times: Awaited<ReturnType<typeof timeChanges>>;
    try {
      times = await timeChanges(demo, hostname, 10);
    } finally {
      await names.stop();
    }
    // Seen in the output of the run.
    process.stdout.write(`${JSON.stringify({ change_to_redirect_ms: times })}\n`);
    for (const { median } of Object.values(times)) expect(median).toBeGreaterThan(0);
  });

  test('keeps no address of a visitor anywhere', async () => {
    expect(await visitorAddressesIn(running)).toEqual([]);
  });

  test('leaves no secret in any log', () => {
    const { processes, folder } = {
      processes: Object.keys(running.system.pids),
      folder: running.system.settings.folder,
    };
    const secrets = Object.values(running.demo.users).flatMap(({ password, token }) => [password, token]);
    for (const name of processes) {
      const log = readFileSync(join(folder, 'logs', `${name}.log`), 'utf8');
      expect(log.length).toBeGreaterThan(0);
      for (const secret of [...secrets, 'whsec_', 'Bearer ']) expect(log).not.toContain(secret);
    }
  });
});

describe('the QR codes deployment', () => {
  let running: RunningSystem;
  beforeAll(async () => {
    running = await startSystem('qr');
  });
  afterAll(() => running?.stop());

  test('does its main job from sign-in to the audit log', async () => {
    const figures = await runQrScenario(running.demo, () => undefined);
    expect(figures).toMatchObject({ scans: 122, bots: 24, webhook_events: 122 });
  });

  test('is used by clients that other generators make of its description', async () => {
    expect(await useGeneratedClients(running.demo)).toEqual(BY_EACH_CLIENT);
  });

  test('keeps no address of a visitor anywhere', async () => {
    expect(await visitorAddressesIn(running)).toEqual([]);
  });

  test('prints a code that a scanner reads, and that leads to the destination', async () => {
    const { demo } = running;
    const api = qrClient({ baseUrl: demo.base_url, token: demo.users['owner']!.token });
    const { workspace } = demo;
    const body = { destination_url: 'https://example.com/printed' };
    const { data } = await answered(
      201,
      api.POST('/api/v1/workspaces/{workspace}/qr-codes', { params: { path: { workspace } }, body }),
    );
    const params = { path: { workspace, id: data.id }, query: { format: 'png', size: 400 } } as const;
    const image = await answered(
      200,
      api.GET('/api/v1/workspaces/{workspace}/qr-codes/{id}/image', { params, parseAs: 'arrayBuffer' }),
    );
    const text = readQr(rasterise(Buffer.from(image), 400));
    expect(text).toBe(data.short_url);
    const visited = await fetch(text!, { redirect: 'manual' });
    expect([visited.status, visited.headers.get('location')]).toEqual([302, body.destination_url]);
  });
});
