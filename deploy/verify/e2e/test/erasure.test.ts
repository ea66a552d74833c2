import { join } from 'node:path';
import mongoose from 'mongoose';
import { backing, type ProcessName } from '@waymark/launcher/process-table';
import { findFilesWith, findTablesWith } from '@waymark/testing/leftovers';
import { waitFor } from '@waymark/testing/wait-for';
import { runAdmin } from './admin.js';
import { everythingKept } from './api/leaks.js';
import { startSystem, type RunningSystem } from './system.js';

/** Log lines may have the slug and custom hostnames, but no content. */
const SLUG = 'quagga-space';
/** In every value that the workspace has. */
const CONTENT = 'zebra';
const ZOE = { email: 'Zoe@marker.example', name: 'Zoe Marker', formerName: 'Zoe Formerly' };
const INVITED = 'ZOE@marker.example';
const PERSONAL = ['zoe@marker.example', INVITED, ...Object.values(ZOE)];
/** See "Erase a workspace or a user" in docs/operations/operations.md. */
const KEPT = /^(auth\.erasure_orders|auth\.accepted_requests|\w+\.erasures)$/;
const LOG = /\.log$/;
const PASSWORD = 'a long enough one';
const WORKERS: ProcessName[] = ['auth', 'resource', 'redirect', 'analytics', 'webhook', 'domain', 'audit'];
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const COMMON = ['erasures', 'leases', 'migrations', 'inbox'];
/**
 * Collections without a step of their own. One that stores data of workspaces or users must not be added here: its service
 * must erase it.
 */
const UNSEARCHED = {
  removedWithTheOrder: ['auth.users', 'auth.workspaces'],
  removedWithAnotherCollection: [
    'analytics.pending_conversions_set_aside',
    'analytics.pending_scans_set_aside',
    'webhook.attempt_responses',
  ],
  recordsOfTheErasure: ['auth.erasure_orders', 'auth.retired_slugs', 'domain.retired_hosts', 'webhook.purge_orders'],
  idsThatExpire: ['analytics.salts', 'analytics.sightings', 'auth.sign_in_callbacks'],
  locksWithoutNames: ['domain.hostname_locks'],
  recentRequests: ['auth.accepted_requests'],
  hostsThatTheOperatorBlocks: ['redirect.destination_blocks', 'resource.destination_blocks'],
  positionOfASweep: ['resource.destination_sweeps'],
};

let running: RunningSystem;
let zoeId: string;
/** The collections that each service has searched. */
const searched = new Set<string>();
beforeAll(async () => {
  running = await startSystem('links', { LOG_LEVEL: 'info' });
  const createUser = (email: string, name: string) =>
    admin(['user', 'create', '--email', email, '--name', name, '--password-stdin'], `${PASSWORD}\n`);
  zoeId = (await createUser(ZOE.email, ZOE.formerName)).id;
  await createUser('olga@example.com', 'Olga');
  await admin(['workspace', 'create', '--slug', 'kept-space', '--name', 'Kept', '--owner', 'olga@example.com']);
  await admin(['member', 'set', '--workspace', 'kept-space', '--email', ZOE.email, '--role', 'admin']);
});
afterAll(() => running?.stop());

const admin = (args: string[], input?: string): Promise<any> => runAdmin(running, args, input);

const tokenOf = async (workspace: string, email: string): Promise<Record<string, string>> => {
  const options = ['--workspace', workspace, '--email', email, '--name', `${CONTENT} token`, '--ability', 'read_write'];
  return { authorization: `Bearer ${(await admin(['token', 'create', ...options])).plaintext_token}` };
};

async function call(credential: Record<string, string>, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${running.system.baseUrl}/api/v1${path}`, {
    method,
    headers: { ...credential, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? null : ((await response.json()) as { data: unknown }).data;
}

/** @returns the headers of a signed-in browser */
async function signIn(email: string): Promise<Record<string, string>> {
  const response = await fetch(`${running.system.baseUrl}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const { meta } = (await response.json()) as { meta: { csrf_token: string } };
  return { cookie: response.headers.get('set-cookie')!.split(';', 1)[0]!, 'x-csrf-token': meta.csrf_token };
}

const statusOf = async (code: string): Promise<number> =>
  (await fetch(`${running.system.shortUrl}/${code}`, { redirect: 'manual', headers: { 'user-agent': BROWSER } }))
    .status;

/** Uses every part of the product that stores something. @returns the codes of its links */
async function useWorkspace(slug: string, credential: Record<string, string>, text: string): Promise<string[]> {
  const post = (path: string, body: unknown) => call(credential, 'POST', `/workspaces/${slug}${path}`, body);
  const folder = await post('/folders', { name: `${text} folder` });
  const tag = await post('/tags', { name: `${text} tag` });
  await post('/utm-templates', { name: `${text} template`, utm_source: text });
  await post('/domains', { hostname: `go.${slug}.example.com` });
  await post('/webhooks', { url: `http://127.0.0.1:65535/${text}`, event_types: ['scan.logged', 'link.created'] });
  const links: any[] = [];
  for (let index = 0; index < 20; index += 1) {
    const fields = { title: `${text} ${index}`, campaign_tag: text, folder_id: folder.id, tag_ids: [tag.id] };
    links.push(await post('/links', { destination_url: `https://${text}.example/${index}`, ...fields }));
  }
  const rows = [{ destination_url: `https://${text}.example/import`, title: `${text} import` }];
  await post('/links/import', { links: rows });
  await post('/conversions', { id: links[0].id, source: `${text} shop`, external_id: `${text}-1` });
  await call(credential, 'PATCH', `/workspaces/${slug}/links/${links[1].id}`, { title: `${text} renamed` });
  const codes = links.map(({ short_code: code }) => code as string);
  for (const code of codes) for (let count = 0; count < 5; count += 1) await statusOf(code);
  await waitFor('the scans', async () => {
    const { kpis } = await call(credential, 'GET', `/workspaces/${slug}/analytics/summary`);
    return kpis.total_scans === 100;
  });
  return codes;
}

/** Searches every collection, queue, warehouse table, log and spool file. */
async function placesOf(markers: readonly string[]): Promise<string[]> {
  const { settings } = running.system;
  const places = new Set<string>();
  for await (const [place, text] of everythingKept(settings)) {
    if (markers.some((marker) => text.includes(marker)) && !KEPT.test(place)) places.add(place);
  }
  const tables = await findTablesWith(backing(settings, 'analytics')['CLICKHOUSE_URL']!, markers);
  const files = findFilesWith(join(settings.folder, 'spool'), markers);
  return [...places, ...tables.map((table) => `warehouse.${table}`), ...files];
}

/** Exports the audit log as its owner does before the deletion. @returns the actions of its entries */
async function exportedActions(slug: string, credential: Record<string, string>): Promise<string[]> {
  const url = `${running.system.baseUrl}/api/v1/workspaces/${slug}/audit-logs/export`;
  const response = await fetch(url, { headers: credential });
  expect(response.status).toBe(200);
  const [, ...rows] = (await response.text()).trim().split('\r\n');
  return rows.map((row) => row.split('","')[1]!);
}

async function waitForNothingLeft(find: () => Promise<string[]>): Promise<void> {
  await waitFor('nothing left', async () => {
    const places = await find();
    if (places.length > 0) throw new Error(places.join());
    return true;
  });
}

function noteSearched({ services }: { services: Record<string, { removed: Record<string, number> }> }): void {
  for (const [service, { removed }] of Object.entries(services))
    for (const collection of Object.keys(removed)) searched.add(`${service}.${collection}`);
}

async function collectionsOf(service: ProcessName): Promise<string[]> {
  const uri = backing(running.system.settings, service)['MONGODB_URI']!;
  const database = await mongoose.createConnection(uri).asPromise();
  try {
    const names = (await database.listCollections()).map(({ name }) => name);
    return names.filter((name) => !COMMON.includes(name)).map((name) => `${service}.${name}`);
  } finally {
    await database.close();
  }
}

async function killEachWorker(): Promise<void> {
  for (const name of WORKERS) {
    await running.system.process(name).kill();
    await running.system.process(name).start();
  }
}

test('erasing a workspace leaves nothing of it in any service, although each is killed meanwhile', async () => {
  const workspace = ['--slug', SLUG, '--name', `${CONTENT} name`, '--owner', 'olga@example.com'];
  await admin(['workspace', 'create', ...workspace]);
  const credential = await tokenOf(SLUG, 'olga@example.com');
  const codes = await useWorkspace(SLUG, credential, CONTENT);
  await waitFor('the whole audit log in an export', async () => {
    const actions = await exportedActions(SLUG, credential);
    return actions.filter((action) => action === 'link.created').length === 21;
  });
  expect(await placesOf([SLUG, CONTENT])).toEqual(expect.arrayContaining(['warehouse.scans', 'resource.links']));
  expect(await statusOf(codes[0]!)).toBe(302);

  await admin(['workspace', 'erase', '--slug', SLUG, '--wait', '0', '--yes']);
  await killEachWorker();
  const report = await admin(['workspace', 'erase', '--slug', SLUG, '--wait', '300', '--yes']);
  expect(report.is_complete).toBe(true);
  noteSearched(report);
  expect(report.services.resource.removed).toMatchObject({ links: 21, folders: 1, tags: 1, utm_templates: 1 });
  for (const code of codes) await waitFor('410', async () => (await statusOf(code)) === 410);
  await waitForNothingLeft(async () => (await placesOf([SLUG])).filter((place) => !LOG.test(place)));
  await waitForNothingLeft(() => placesOf([CONTENT]));
});

test('erasing a user leaves their name and address nowhere, and the audit log of their workspace valid', async () => {
  const browser = await signIn(ZOE.email);
  await call(browser, 'PATCH', '/user', { name: ZOE.name });
  const codes = await useWorkspace('kept-space', await tokenOf('kept-space', ZOE.email), 'gnu');
  await admin(['workspace', 'create', '--slug', 'next-space', '--name', 'Next', '--owner', 'olga@example.com']);
  const next = await tokenOf('next-space', 'olga@example.com');
  await call(next, 'POST', '/workspaces/next-space/invitations', { email: INVITED, role: 'viewer' });
  await waitFor('the invitation in the audit log', async () =>
    (await placesOf([INVITED])).join().includes('audit.log_entries'),
  );
  expect(await placesOf(PERSONAL)).toEqual(expect.arrayContaining(['auth.users', 'auth.invitations']));

  await admin(['user', 'erase', '--email', ZOE.email, '--wait', '0', '--yes']);
  await killEachWorker();
  const report = await admin(['user', 'erase', '--id', zoeId, '--wait', '300', '--yes']);
  expect([report.is_complete, report.user]).toEqual([true, zoeId]);
  noteSearched(report);
  expect(report.services.audit.removed.log_entries).toBeGreaterThan(20);
  await waitForNothingLeft(() => placesOf(PERSONAL));

  const olga = await tokenOf('kept-space', 'olga@example.com');
  const verdict = await call(olga, 'GET', '/workspaces/kept-space/audit-logs/verify');
  expect(verdict).toMatchObject({ valid: true, first_break: null });
  expect(await statusOf(codes[0]!)).toBe(302);
  expect((await call(olga, 'GET', '/workspaces/kept-space/links?per_page=100')).length).toBe(21);
});

test('every collection is searched by an erasure, or known to need none', async () => {
  const unsearched: string[] = [];
  for (const name of WORKERS) {
    unsearched.push(...(await collectionsOf(name)).filter((collection) => !searched.has(collection)));
  }
  expect(unsearched.sort()).toEqual(Object.values(UNSEARCHED).flat().sort());
});
