import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTS } from '@waymark/contract/events';
import { REQUESTERS, WORK_QUEUE_DEFINITIONS, WORK_QUEUES, type WorkQueue } from '@waymark/contract/queues';
import { PROCESS_NAMES } from '@waymark/launcher/process-table';
import { MailServer } from '@waymark/testing/mail-server';
import { NameServer } from '@waymark/testing/name-server';
import { waitFor } from '@waymark/testing/wait-for';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';
import { Load } from '../harness/load.js';
import type { Report } from '../harness/report.js';
import { settle } from '../harness/settle.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { publishQuestions, publishToQueue } from '../poison/publish-raw.js';
import { ServiceDatabases } from '../poison/service-databases.js';
import { LAST_WORK, OTHER, SOUND_WORK, type Call, type Check, type WorkContext } from '../poison/sound-work.js';

const WORK_TIMEOUT_MS = 60_000;
const PARKED_TIMEOUT_MS = 30_000;
/** A loop that retries without a pause fails hundreds of times a second. */
const FAILURES_PER_SECOND_MAX = 5;

/**
 * Messages that no consumer can handle, in every queue among good ones: they are set aside, and nothing else stops. Each consumer
 * shows that it still does its work for others.
 */
export async function poison(): Promise<Report> {
  const [mails, names, receiver] = [await MailServer.start(), await NameServer.start(), await WebhookReceiver.start()];
  const envOf = { auth: { SMTP_URL: mails.url }, domain: { DNS_SERVERS: names.address } };
  try {
    return await withEnvironment({ envOf }, async (environment) => {
      const databases = await ServiceDatabases.open(environment.system.settings);
      try {
        return await poisonAll({ environment, databases, mails, names, receiver });
      } finally {
        await databases.close();
      }
    });
  } finally {
    receiver.stop();
    await names.stop();
    await mails.stop();
  }
}

type Poisoned = Omit<WorkContext, 'acme' | 'other' | 'otherLink'>;

async function poisonAll(poisoned: Poisoned): Promise<Report> {
  const { environment } = poisoned;
  const startedAt = Date.now();
  const ctx = await prepareOther(poisoned);
  const load = new Load(environment.system.shortUrl, environment.links, 200).start();
  await sleep(1000);
  for (const queue of WORK_QUEUES) await publishToQueue(environment, queue, poisonFor(queue));
  for (const name of Object.keys(REQUESTERS)) await publishQuestions(environment, name, ['{"broken', '7', '{}']);
  const done = await checkSoundWork(ctx);
  await load.stop();
  const report = await compareWithAnswers(environment, load);
  const parked = Object.fromEntries(await Promise.all(WORK_QUEUES.map((queue) => parkedIn(environment, queue))));
  const failures = await countFailures(environment);
  const failuresMax = (FAILURES_PER_SECOND_MAX * (Date.now() - startedAt)) / 1000;
  return {
    ...report,
    parked,
    sound_work: done,
    failures,
    passed:
      report.passed &&
      WORK_QUEUES.every((queue) => parked[queue] === poisonFor(queue).length) &&
      Object.values(done).every(Boolean) &&
      Object.values(failures).every((count) => count <= failuresMax),
  };
}

/** Gives the other workspace a link. */
async function prepareOther(poisoned: Poisoned): Promise<WorkContext> {
  const { demo } = poisoned.environment;
  const callAs =
    (workspace: string, user: string): Call =>
    async <Data>(method: string, path: string, body?: unknown) => {
      const caller = { ...demo, workspace, users: { owner: demo.users[user]! } };
      return (await callApi(caller, method, path, body)).data as Data;
    };
  const other = callAs(OTHER, 'outsider');
  const otherLink = await other<WorkContext['otherLink']>('POST', '/links', { destination_url: 'https://example.com' });
  return { ...poisoned, acme: callAs(demo.workspace, 'owner'), other, otherLink };
}

/** Gives every consumer sound work. @returns whether each has done it, by its name */
async function checkSoundWork(ctx: WorkContext): Promise<Record<string, boolean>> {
  const done: Record<string, boolean> = {};
  const running: Promise<boolean>[] = [];
  for (const [name, work] of Object.entries(SOUND_WORK)) {
    const check = await tryWork(ctx, name, work);
    running.push(happens(check).then((isDone) => (done[name] = isDone)));
  }
  await Promise.all(running);
  for (const [name, work] of Object.entries(LAST_WORK)) done[name] = await happens(await tryWork(ctx, name, work));
  return done;
}

/** A piece of work that cannot even begin is not done, and does not keep the others from being checked. */
async function tryWork(ctx: WorkContext, name: string, work: (typeof SOUND_WORK)[string]): Promise<Check> {
  try {
    return await work(ctx);
  } catch (error) {
    ctx.environment.say(`${name}: ${String(error)}`);
    return () => false;
  }
}

async function happens(check: Check): Promise<boolean> {
  try {
    return await waitFor('the work', check, { timeoutMs: WORK_TIMEOUT_MS, pauseMs: 500 });
  } catch {
    return false;
  }
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
