import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import { EVENTS } from '@waymark/contract/events';
import { WORK_QUEUE_DEFINITIONS, WORK_QUEUES, type WorkQueue } from '@waymark/contract/queues';
import { PROCESS_NAMES } from '@waymark/launcher/process-table';
import { MailServer } from '@waymark/testing/mail-server';
import { adminCommand } from '../harness/admin-command.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import { findLeftOver, plantRows } from '../harness/damaged-rows.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';
import { Load } from '../harness/load.js';
import type { Report } from '../harness/report.js';
import { settle } from '../harness/settle.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';

const LOOP_TIMEOUT_MS = 60_000;
const PARKED_TIMEOUT_MS = 30_000;
const ERASE_SECONDS = 60;
/** A loop that retries without a pause fails hundreds of times a second. */
const FAILURES_PER_SECOND_MAX = 5;
const HOOK = '/poison';

/**
 * Messages that no consumer can handle, in every queue among good ones, and damaged rows where every loop reads: they are
 * set aside, and nothing else stops. Each loop shows that it still does its work for others.
 */
export async function poison(): Promise<Report> {
  const mails = await MailServer.start();
  const receiver = await WebhookReceiver.start();
  try {
    return await withEnvironment({ envOf: { auth: { SMTP_URL: mails.url } } }, (environment) =>
      poisonAll(environment, { mails, receiver }),
    );
  } finally {
    receiver.stop();
    await mails.stop();
  }
}

interface Receivers {
  mails: MailServer;
  receiver: WebhookReceiver;
}

async function poisonAll(environment: Environment, receivers: Receivers): Promise<Report> {
  const startedAt = Date.now();
  const load = new Load(environment.system.shortUrl, environment.links, 200).start();
  await sleep(1000);
  await plantRows(environment);
  for (const queue of WORK_QUEUES) await publishRaw(environment, queue, poisonFor(queue));
  await sleep(3000);
  const loops = await useEachLoop(environment, receivers);
  await load.stop();
  const report = await compareWithAnswers(environment, load);
  const parked = Object.fromEntries(await Promise.all(WORK_QUEUES.map((queue) => parkedIn(environment, queue))));
  const failures = await countFailures(environment);
  const failuresMax = (FAILURES_PER_SECOND_MAX * (Date.now() - startedAt)) / 1000;
  return {
    ...report,
    parked,
    loops,
    failures,
    passed:
      report.passed &&
      // Auth also parks what the services report about a damaged erasure.
      WORK_QUEUES.every((queue) => parked[queue]! >= poisonFor(queue).length) &&
      Object.values(loops).every(Boolean) &&
      Object.values(failures).every((count) => count <= failuresMax),
  };
}

/** Gives every loop sound work. @returns whether each has done it */
async function useEachLoop(environment: Environment, { mails, receiver }: Receivers): Promise<Record<string, boolean>> {
  const { demo, system } = environment;
  const call = async <Data>(method: string, path: string, body?: unknown): Promise<Data> =>
    (await callApi(demo, method, path, body)).data as Data;
  const owner = demo.users['owner']!;

  const webhook = await call<{ id: string }>('POST', '/webhooks', {
    url: receiver.addEndpoint(HOOK),
    event_types: ['link.created'],
  });
  const domain = await call<{ id: string }>('POST', '/domains', { hostname: 'healthy.example.com' });
  const link = await call<{ id: string; short_code: string }>('POST', '/links', {
    destination_url: 'https://example.com/healthy',
  });
  const { id: importId } = await call<{ id: string }>('POST', '/links/import', {
    links: [{ destination_url: 'https://example.com/imported' }],
  });
  await fetch(`${system.baseUrl}/api/v1/password-reset-request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: owner.email }),
  });

  const loops: Record<string, boolean> = {
    redirect: await happens(() => isRedirected(environment, link.short_code)),
    webhook: await happens(() => receiver.eventsAt(HOOK).size > 0),
    import: await happens(
      async () => (await call<{ status: string }>('GET', `/links/imports/${importId}`)).status === 'completed',
    ),
    domain_check: await happens(
      async () =>
        (await call<{ last_checked_at: string | null }>('GET', `/domains/${domain.id}`)).last_checked_at !== null,
    ),
    mail: await happens(() => mails.to(owner.email).length > 0),
    audit: await happens(async () => JSON.stringify(await call('GET', '/audit-logs?per_page=100')).includes(link.id)),
    left_over: await happens(async () => (await findLeftOver(environment)).length === 0),
  };

  const today = new Date().toISOString().slice(0, 10);
  await call('POST', `/webhooks/${webhook.id}/replay`, { from: today, to: today });
  loops['replay'] = await happens(() => [...receiver.eventsAt(HOOK).values()].some((count) => count > 1));
  const erase = ['workspace', 'erase', '--slug', 'globex', '--wait', `${ERASE_SECONDS}`, '--yes'];
  loops['erasure'] = ((await adminCommand(system, 'auth', ...erase)) as { is_complete: boolean }).is_complete;
  return loops;
}

async function happens(check: () => boolean | Promise<boolean>): Promise<boolean> {
  await settle(check, LOOP_TIMEOUT_MS);
  return check();
}

async function countFailures({ system }: Environment): Promise<Record<string, number>> {
  const counts = PROCESS_NAMES.map(async (name) => [
    name,
    await system.process(name).metric('waymark_background_failures_total'),
  ]);
  return Object.fromEntries(await Promise.all(counts)) as Record<string, number>;
}

/** Undecodable, of an unknown version, of a wrong shape, and too large to be anything. */
function poisonFor(queue: WorkQueue): string[] {
  const [type] = WORK_QUEUE_DEFINITIONS[queue].types;
  const event = EVENTS[type!]!.create({ workspace: 'nobody' }, { wrong: true } as never);
  return ['{"broken', JSON.stringify({ ...event, version: 99 }), JSON.stringify(event), 'x'.repeat(1024 * 1024)];
}

async function parkedIn({ state }: Environment, queue: WorkQueue): Promise<[string, number]> {
  const depth = () => state.queueDepth(`${queue}.parked`);
  await settle(async () => (await depth()) >= poisonFor(queue).length, PARKED_TIMEOUT_MS);
  return [queue, await depth()];
}

/** By a HEAD, which is no scan. */
async function isRedirected({ system }: Environment, shortCode: string): Promise<boolean> {
  const response = await fetch(`${system.shortUrl}/${shortCode}`, { method: 'HEAD', redirect: 'manual' });
  return response.status === 302;
}

async function publishRaw(environment: Environment, queue: WorkQueue, bodies: string[]): Promise<void> {
  const { amqpUrl, namespace } = environment.system.settings;
  const connection = await connect(amqpUrl);
  const channel = await connection.createConfirmChannel();
  for (const body of bodies) channel.publish(`${namespace}.queues`, queue, Buffer.from(body));
  await channel.waitForConfirms();
  await connection.close();
}
