import { request } from 'node:http';
import type { MailServer } from '@waymark/testing/mail-server';
import type { NameServer } from '@waymark/testing/name-server';
import { waitFor } from '@waymark/testing/wait-for';
import { adminCommand } from '../harness/admin-command.js';
import type { Environment } from '../harness/environment.js';
import type { WebhookReceiver } from '../harness/webhook-receiver.js';
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
/** Gives a consumer work. @returns the check of whether it has done it */
type SoundWork = (ctx: WorkContext) => Promise<Check>;

/** The workspace that is suspended and erased at the end. */
export const OTHER = 'globex';
const HOOK = '/poison';
const DOMAIN = 'sound.example.com';
const ERASE_SECONDS = 60;
const STEP_TIMEOUT_MS = 60_000;

const waitForStep = (what: string, isDone: Check): Promise<boolean> => waitFor(what, isDone, STEP_TIMEOUT_MS);

/** Sound work of each consumer, by its name, while damaged messages are in its way. */
export const SOUND_WORK: Record<string, SoundWork> = {
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
  // By a question to each service that counts some of it.
  auth_usage: ({ acme }) =>
    Promise.resolve(async () => {
      const { usage } = await acme<{ usage: Record<string, object | null> }>('GET', '');
      return ['links', 'domains', 'webhooks'].every((name) => usage[name] !== null);
    }),

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
  analytics_conversions: async ({ environment: { state, links }, acme }) => {
    const { id } = await acme('POST', '/conversions', { id: links[0]!.id, source: 'shop', value: 1, currency: 'EUR' });
    return () => state.isLoaded('conversions', id);
  },
  webhook_events: async ({ acme, receiver }) => {
    await acme('POST', '/webhooks', { url: receiver.addEndpoint(HOOK), event_types: ['link.created'] });
    await acme('POST', '/links', { destination_url: 'https://example.com/told' });
    return () => receiver.eventsAt(HOOK).size > 0;
  },
};

/** Work that begins one after the other, once all of `SOUND_WORK` is done. */
export const LAST_WORK: Record<string, SoundWork> = {
  redirect_suspensions: async ({ environment, databases, otherLink }) => {
    const options = ['--slug', OTHER, '--reason', 'poison', '--links', 'block'];
    await adminCommand(environment.system, 'auth', 'workspace', 'suspend', ...options);
    return async () =>
      (await visit(environment, otherLink.short_code)) === 451 &&
      (await databases.has('redirect', 'workspace_states', { _id: OTHER, isBlocked: true }));
  },
  erasures: async ({ environment: { system } }) => {
    const erase = ['workspace', 'erase', '--slug', OTHER, '--wait', `${ERASE_SECONDS}`, '--yes'];
    const { is_complete: isComplete } = (await adminCommand(system, 'auth', ...erase)) as { is_complete: boolean };
    return () => isComplete;
  },
};

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
  await acme('POST', `/domains/${domain.id}/verify`);
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
