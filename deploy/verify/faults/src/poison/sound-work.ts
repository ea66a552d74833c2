import { request } from 'node:http';
import { newId } from '@waymark/contract/ids';
import { webhookEventsDeferred } from '@waymark/contract/events';
import type { MailServer } from '@waymark/testing/mail-server';
import type { NameServer } from '@waymark/testing/name-server';
import { waitFor } from '@waymark/testing/wait-for';
import { adminCommand } from '../harness/admin-command.js';
import type { Environment } from '../harness/environment.js';
import type { WebhookReceiver } from '../harness/webhook-receiver.js';
import { EXPIRED_SCAN, scanOf } from './planted-rows.js';
import { publishToQueue } from './publish-raw.js';
import type { ServiceDatabases } from './service-databases.js';

/** Calls the API as the owner of one workspace. */
export type Call = <Data = { id: string }>(method: string, path: string, body?: unknown) => Promise<Data>;

export interface WorkContext {
  environment: Environment;
  databases: ServiceDatabases;
  mails: MailServer;
  receiver: WebhookReceiver;
  names: NameServer;
  acme: Call;
  /** Of `OTHER`. */
  other: Call;
  /** A link of `OTHER` without a visit before the end. */
  otherLink: { id: string; short_code: string };
}

export type Check = () => boolean | Promise<boolean>;
/** Gives a consumer or a loop work. @returns the check of whether it has done it */
type SoundWork = (ctx: WorkContext) => Promise<Check>;

/** The workspace whose rows are planted; it is erased at the end. */
export const OTHER = 'globex';
const HOOK = '/poison';
const DOMAIN = 'sound.example.com';
const ERASE_SECONDS = 60;
const STEP_TIMEOUT_MS = 60_000;
const PAST = new Date(0);

const waitForStep = (what: string, isDone: Check): Promise<boolean> => waitFor(what, isDone, STEP_TIMEOUT_MS);

/** Sound work of each consumer and loop, by its name, while damaged messages and rows are in its way. */
export const SOUND_WORK: Record<string, SoundWork> = {
  // Begins first: it must be the only one to append to this log meanwhile.
  audit_waiting_entries: async ({ databases, other }) => {
    const entry = await blockLog(databases);
    const { id } = await other('POST', '/tags', { name: 'waiting' });
    await waitForStep('the entry to wait', () => databases.has('audit', 'waiting_entries', { 'target.id': id }));
    await databases.collection('audit', 'log_entries').deleteOne(entry);
    return () => databases.has('audit', 'log_entries', { 'target.id': id });
  },
  audit_entries: async ({ databases, acme }) => {
    const { id } = await acme('POST', '/tags', { name: 'audited' });
    return () => databases.has('audit', 'log_entries', { 'target.id': id });
  },

  auth_mails: async ({ environment: { demo, system }, mails }) => {
    const { email } = demo.users['owner']!;
    await fetch(`${system.baseUrl}/api/v1/password-reset-request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    return () => mails.to(email).length > 0;
  },
  auth_rejected_tokens: async ({ databases, acme }) => {
    const { id: _id } = await acme('POST', '/tokens', { name: 'revoked' });
    await acme('DELETE', `/tokens/${_id}`);
    await databases.collection('auth', 'tokens').updateOne({ _id }, { $set: { refusals: 1 } });
    return () => databases.has('audit', 'log_entries', { 'target.id': _id, action: 'token.refused' });
  },
  // By a question to each service that counts some of it.
  auth_usage: ({ acme }) =>
    Promise.resolve(async () => {
      const { usage } = await acme<{ usage: Record<string, object | null> }>('GET', '');
      return ['links', 'domains', 'webhooks'].every((name) => usage[name] !== null);
    }),

  resource_imports: async ({ acme }) => {
    const { id } = await acme('POST', '/links/import', {
      links: [{ destination_url: 'https://example.com/imported' }],
    });
    return async () => (await acme<{ status: string }>('GET', `/links/imports/${id}`)).status === 'completed';
  },
  // The deletion of a process that died before it had detached the links.
  resource_detachments: async ({ databases, other }) => {
    const { link, tag, folder } = await createOrganizedLink(other, 'left');
    for (const [name, _id] of [['tags', tag] as const, ['folders', folder] as const]) {
      const change = { $set: { deletedAt: new Date(3), nameKey: _id } };
      await databases.collection('resource', name).updateOne({ _id }, change);
    }
    return () => databases.has('resource', 'links', { _id: link, tagIds: [], folderId: null });
  },

  redirect_targets: async ({ databases, acme }) => {
    const { id } = await acme('POST', '/links', { destination_url: 'https://example.com/stored' });
    return () => databases.has('redirect', 'targets', { _id: id });
  },
  redirect_visits: async ({ environment, acme }) => {
    const link = await acme<{ short_code: string }>('POST', '/links', { destination_url: 'https://example.com/new' });
    return async () => (await visit(environment, link.short_code)) === 302;
  },

  domain_checks: async ({ environment, databases, names, acme }) => {
    const { id } = await createDomain({ names, acme });
    await waitForStep('the domain to be verified', async () => (await statusOf(acme, id)) === 'verified');
    const link = await acme<{ id: string; short_code: string }>('POST', '/links', {
      destination_url: 'https://example.com/domain',
      domain_id: id,
    });
    await waitForStep(
      'the link on the domain',
      async () => (await visit(environment, link.short_code, DOMAIN)) === 302,
    );
    // `redirect.domains` has stored the host, and `resource.domains` learns from the deletion that links must move.
    await waitForStep('the stored host', () => databases.has('redirect', 'hosts', { _id: id }));
    await acme('DELETE', `/domains/${id}`);
    return () => databases.has('resource', 'links', { _id: link.id, hostname: null });
  },

  analytics_links: async ({ databases, acme }) => {
    const { id } = await acme('POST', '/links', { destination_url: 'https://example.com/loaded' });
    return () => databases.has('analytics', 'links', { _id: id, next: { $exists: false } });
  },
  analytics_detachments: async ({ databases, acme }) => {
    const { link, tag, folder } = await createOrganizedLink(acme, 'deleted');
    await waitForStep('the link in analytics', () => databases.has('analytics', 'links', { _id: link, tagIds: tag }));
    await acme('DELETE', `/tags/${tag}`);
    await acme('DELETE', `/folders/${folder}`);
    return () => databases.has('analytics', 'links', { _id: link, tagIds: [], folderId: null });
  },
  analytics_link_completion: async ({ databases, otherLink: { id: _id } }) => {
    const links = databases.collection('analytics', 'links');
    await links.updateOne({ _id }, { $set: { next: 'ask' }, $unset: { tagIds: 1, folderId: 1, domainId: 1 } });
    return () => databases.has('analytics', 'links', { _id, tagIds: [], next: { $exists: false } });
  },
  analytics_conversions: async ({ environment: { state, links }, acme }) => {
    const { id } = await acme('POST', '/conversions', { id: links[0]!.id, source: 'shop', value: 1, currency: 'EUR' });
    return () => state.isLoaded('conversions', id);
  },
  analytics_pending_conversions: async ({ environment: { state }, databases, otherLink }) => {
    const _id = newId('cnv');
    const now = new Date();
    await databases.collection('analytics', 'conversions').insertOne({
      ...{ _id, workspace: OTHER, status: 'pending', linkId: null, shortCode: null, campaign: null, source: 'shop' },
      ...{ meta: null, value: 1, currency: 'EUR', externalId: null, occurredAt: now, recordedAt: now, updatedAt: now },
      completion: {
        names: { id: otherLink.id, short_code: null },
        context: JSON.stringify({ workspace: OTHER }),
        dueAt: new Date(1),
      },
    });
    return () => state.isLoaded('conversions', _id);
  },
  // Planted before analytics started: it expires scans at its start, and then every ten minutes.
  analytics_warehouse_expiry: ({ environment: { state } }) =>
    Promise.resolve(async () => !(await state.isLoaded('scans', EXPIRED_SCAN._id))),
  analytics_fill: async ({ environment: { state }, databases }) => {
    const scan = scanOf(OTHER, { _id: newId('scn'), scannedAt: new Date() });
    await databases.collection('analytics', 'scans').insertOne(scan);
    const due = { _id: OTHER, failures: 1, error: 'left', retryAt: PAST };
    await databases.collection('analytics', 'unfilled_workspaces').replaceOne({ _id: OTHER }, due, { upsert: true });
    return () => state.isLoaded('scans', scan._id as string);
  },

  webhook_events: async ({ acme, receiver }) => {
    await acme('POST', '/webhooks', { url: receiver.addEndpoint(HOOK), event_types: ['link.created'] });
    await acme('POST', '/links', { destination_url: 'https://example.com/told' });
    return () => receiver.eventsAt(HOOK).size > 0;
  },
  webhook_deferred_events: async ({ environment, receiver }) => {
    const workspace = environment.demo.workspace;
    const event = { id: newId('evt'), type: 'link.created', created_at: new Date().toISOString(), workspace, data: {} };
    const message = webhookEventsDeferred.create({ workspace }, { events: [event] });
    await publishToQueue(environment, 'webhook.deferred', [JSON.stringify(message)]);
    return () => receiver.eventsAt(HOOK).has(event.id);
  },
  webhook_expired_secrets: async ({ databases, other, receiver }) => {
    const url = receiver.addEndpoint('/secrets');
    const { id: _id } = await other('POST', '/webhooks', { url, event_types: ['link.created'] });
    await other('PATCH', `/webhooks/${_id}`, { rotate_secret: true });
    const change = { $set: { 'secrets.1.expiresAt': new Date(1) } };
    await databases.collection('webhook', 'endpoints').updateOne({ _id }, change);
    return () => databases.has('webhook', 'endpoints', { _id, secrets: { $size: 1 } });
  },
};

/** Work that begins one after the other, once all of `SOUND_WORK` is done. */
export const LAST_WORK: Record<string, SoundWork> = {
  webhook_replays: async ({ acme, receiver }) => {
    const webhooks = await acme<{ id: string; url: string }[]>('GET', '/webhooks');
    const { id } = webhooks.find(({ url }) => url.endsWith(HOOK))!;
    const today = new Date().toISOString().slice(0, 10);
    await acme('POST', `/webhooks/${id}/replay`, { from: today, to: today });
    return () => [...receiver.eventsAt(HOOK).values()].some((count) => count > 1);
  },
  redirect_suspensions: async ({ environment, databases, otherLink }) => {
    const options = ['--slug', OTHER, '--reason', 'poison', '--links', 'block'];
    await adminCommand(environment.system, 'auth', 'workspace', 'suspend', ...options);
    return async () =>
      (await visit(environment, otherLink.short_code)) === 451 &&
      (await databases.has('redirect', 'workspace_states', { _id: OTHER, isBlocked: true }));
  },
  // A state whose event was lost.
  redirect_workspace_states: async ({ environment, databases, otherLink }) => {
    const state = { _id: OTHER, revision: 1000, isBlocked: false };
    await databases.collection('redirect', 'workspace_states').replaceOne({ _id: OTHER }, state, { upsert: true });
    return async () => (await visit(environment, otherLink.short_code)) === 302;
  },
  erasures: async ({ environment: { system } }) => {
    const erase = ['workspace', 'erase', '--slug', OTHER, '--wait', `${ERASE_SECONDS}`, '--yes'];
    const { is_complete: isComplete } = (await adminCommand(system, 'auth', ...erase)) as { is_complete: boolean };
    return () => isComplete;
  },
};

/** Blocks the audit log of `OTHER` by an entry that the service has not appended. @returns the entry */
async function blockLog(databases: ServiceDatabases): Promise<{ _id: string }> {
  const head = await databases.collection('audit', 'heads').findOne({ _id: OTHER });
  const entry = { _id: 'aud_inserted', workspace: OTHER, seq: Number(head!['seq']) + 1 };
  await databases.collection('audit', 'log_entries').insertOne(entry);
  return { _id: entry._id };
}

async function createOrganizedLink(call: Call, name: string) {
  const { id: tag } = await call('POST', '/tags', { name });
  const { id: folder } = await call('POST', '/folders', { name });
  const body = { destination_url: 'https://example.com/organized', tag_ids: [tag], folder_id: folder };
  const { id: link } = await call('POST', '/links', body);
  return { link, tag, folder };
}

async function createDomain({ names, acme }: Pick<WorkContext, 'names' | 'acme'>): Promise<{ id: string }> {
  const domain = await acme<{ id: string; dns: { txt: { name: string; value: string } } }>('POST', '/domains', {
    hostname: DOMAIN,
  });
  names.setTexts(domain.dns.txt.name, domain.dns.txt.value);
  return domain;
}

const statusOf = async (call: Call, id: string): Promise<string> =>
  (await call<{ status: string }>('GET', `/domains/${id}`)).status;

/** By a HEAD, which is no scan. @returns the status */
function visit({ system }: Environment, shortCode: string, host?: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = host === undefined ? {} : { host };
    const outgoing = request(`${system.shortUrl}/${shortCode}`, { method: 'HEAD', headers }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode!)),
    );
    outgoing.on('error', () => resolve(0)).end();
  });
}
