import { setTimeout as sleep } from 'node:timers/promises';
import { backing } from '@waymark/launcher/process-table';
import { createdEntries } from '../harness/created-entries.js';
import { killAndStart } from '../harness/kill.js';
import { TcpProxy } from '../harness/tcp-proxy.js';
import type { Report } from '../harness/report.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';

const LINKS = 300;
const CLIENTS = 6;
const TIMEOUT_MS = 200_000;
const DESTINATION = 'https://example.com/careful/';

/** The resource service's database connections are cut within answers, so that it can't know the outcome. */
export async function answersLost(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withEnvironment(
    {
      before: async (_stack, settings) => {
        const url = new URL(backing(settings, 'resource')['MONGODB_URI']!);
        proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
        url.host = `127.0.0.1:${proxy.port}`;
        // Past the replica set's own idea of its address, which would lead around the proxy.
        url.searchParams.delete('replicaSet');
        url.searchParams.set('directConnection', 'true');
        settings.envOf = { resource: { MONGODB_URI: url.href } };
      },
    },
    async (environment) => {
      proxy!.set('cut');
      const clients = await createAll(environment, () => sleep(1000));
      const cuts = proxy!.cuts;
      proxy!.set('pass');
      return judgeLinks(environment, clients, { cuts }, cuts > 0);
    },
  );
  await proxy?.stop();
  return report;
}

/** The resource service killed about every second: before, between and after its writes, publishes and deletes. */
export function resourceKill(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    let kills = 0;
    const clients = await createAll(environment, async () => {
      await sleep(300 + Math.random() * 700);
      await killAndStart(environment.system.process('resource'));
      kills += 1;
    });
    return judgeLinks(environment, clients, { kills }, kills > 0);
  });
}

interface Clients {
  created: number;
  repeated: number;
}

/** Careful clients create links during the fault: each create has its own key and is retried until it is answered. */
async function createAll(environment: Environment, disturb: () => Promise<void>): Promise<Clients> {
  const clients: Clients = { created: 0, repeated: 0 };
  const deadline = Date.now() + TIMEOUT_MS;
  let next = 0;
  const one = async () => {
    while (next < LINKS) {
      clients.repeated += await createCarefully(environment, next++, deadline);
      clients.created += 1;
      if (clients.created % 50 === 0) environment.say(`${clients.created} of ${LINKS} created`);
    }
  };
  const all = Promise.all(Array.from({ length: CLIENTS }, one)).then(() => true);
  while (!(await Promise.race([all, disturb().then(() => false)])));
  return clients;
}

/** @returns how often it had to be sent again */
async function createCarefully({ demo }: Environment, index: number, deadline: number): Promise<number> {
  for (let repeated = 0; Date.now() < deadline; repeated += 1) {
    const answer = await fetch(`${demo.base_url}/api/v1/workspaces/${demo.workspace}/links`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${demo.users['owner']!.token}`,
        'content-type': 'application/json',
        'idempotency-key': `careful-${index}`,
      },
      body: JSON.stringify({ destination_url: `${DESTINATION}${index}`, short_code: codeOf(index) }),
    });
    if (answer.status === 201) return repeated;
    // 409: the first request may still be in progress.
    if (answer.status !== 503 && answer.status !== 409) throw new Error(`${answer.status}: ${await answer.text()}`);
    await sleep(100);
  }
  throw new Error(`link ${index} can't be created`);
}

const codeOf = (index: number): string => `careful-${index}`;

async function judgeLinks(
  environment: Environment,
  clients: Clients,
  extra: Record<string, unknown>,
  wasDisturbed: boolean,
): Promise<Report> {
  const entries = await createdEntries(environment, LINKS);
  const made = await environment.state.linksByDestination(DESTINATION);
  const listed = (await callApi(environment.demo, 'GET', '/links?status=active&per_page=1')) as unknown as {
    meta: { total: number };
  };
  const lost = LINKS - made.size;
  const doubled = [...made.values()].filter((count) => count > 1).length;
  const miscounted = listed.meta.total - (await environment.state.linkCount());
  const unserved = (await Promise.all([...made.keys()].map((url) => isServed(environment, url)))).filter(
    (is) => !is,
  ).length;
  const isExact = lost === 0 && doubled === 0 && miscounted === 0 && unserved === 0 && entries === LINKS;
  return {
    ...{ links: LINKS, ...clients, ...extra, lost, doubled, miscounted, unserved, audit_entries: entries },
    passed: isExact && wasDisturbed,
  };
}

async function isServed({ system }: Environment, destination: string): Promise<boolean> {
  const path = codeOf(Number(destination.slice(DESTINATION.length)));
  const { status, headers } = await fetch(`${system.shortUrl}/${path}`, { method: 'HEAD', redirect: 'manual' });
  return status === 302 && headers.get('location') === destination;
}
