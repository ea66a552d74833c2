import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { areAnswered, haveRecovered, linkCall, startRequests } from '../harness/api-requests.js';
import { Load } from '../harness/load.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';

/** Connections, permits and lines of waiting changes show within this time whether they have recovered. */
const OBSERVED_AFTERWARDS_MS = 60_000;

/**
 * The damage under load: redirects go on, the API says 503 and nothing else, soon after the end each change succeeds, and
 * afterwards all data is correct.
 */
async function underLoad(environment: Environment, disturb: () => Promise<void>): Promise<Report> {
  for (const { short_code: code } of environment.links)
    await fetch(`${environment.system.shortUrl}/${code}`, { method: 'HEAD', redirect: 'manual' });
  const load = new Load(environment.system.shortUrl, environment.links, 200).start();
  const requests = startRequests(environment, linkCall(environment));
  await sleep(2000);
  await disturb();
  requests.endFault();
  await sleep(OBSERVED_AFTERWARDS_MS);
  await load.stop();
  const answers = await requests.stop();
  const report = await compareWithAnswers(environment, load, { ...answers });
  const passed =
    report.passed &&
    areAnswered(answers, ['200', '503']) &&
    haveRecovered(answers) &&
    report['parked'] === 0 &&
    report['attempted'] === report['accepted'];
  return { ...report, passed };
}

/** The database killed, and back after 5 s. */
export function databaseKill(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      environment.stack.database!.signal('SIGKILL');
      await sleep(5000);
      await environment.stack.database!.start();
    }),
  );
}

/** The database frozen for 20 s: no request hangs. */
export function databaseFrozen(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      environment.stack.database!.signal('SIGSTOP');
      await sleep(20_000);
      environment.stack.database!.signal('SIGCONT');
    }),
  );
}

const ELECTION_SECONDS = 12;

/** The primary steps down, and the election takes as long as a replica set's with default settings. */
export function databaseElection(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      const client = await mongoose.createConnection(environment.stack.mongoUri).asPromise();
      // Some versions of mongod close the connection instead of replying.
      await client
        .db!.admin()
        .command({ replSetStepDown: ELECTION_SECONDS, force: true })
        .catch(() => undefined);
      await client.close(true);
      await sleep(ELECTION_SECONDS * 1000);
    }),
  );
}

/** Every packet to and from the database delayed by half a second, for 20 s. */
export async function databaseSlow(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withEnvironment(
    {
      before: async (stack, settings) => {
        const url = new URL(stack.mongoUri);
        proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
        url.host = `127.0.0.1:${proxy.port}`;
        // The replica set's own address would bypass the proxy.
        url.searchParams.delete('replicaSet');
        url.searchParams.set('directConnection', 'true');
        settings.mongoUri = url.href;
      },
    },
    (environment) =>
      underLoad(environment, async () => {
        proxy!.set('late');
        await sleep(20_000);
        proxy!.set('pass');
      }),
  );
  await proxy?.stop();
  return report;
}
