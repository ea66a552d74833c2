import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { areAnswered, linkCall, startRequests } from '../harness/api-requests.js';
import { Load } from '../harness/load.js';
import { judge, type Report } from '../harness/verdict.js';
import { withWorld, type World } from '../harness/world.js';

/** The damage under load: redirects go on, the API says 503 and nothing else, afterwards all is as it should be. */
async function underLoad(world: World, disturb: () => Promise<void>): Promise<Report> {
  for (const { short_code: code } of world.links)
    await fetch(`${world.system.shortUrl}/${code}`, { method: 'HEAD', redirect: 'manual' });
  const load = new Load(world.system.shortUrl, world.links, 200).start();
  const requests = startRequests(world, linkCall(world));
  await sleep(2000);
  await disturb();
  await sleep(5000);
  await load.stop();
  const answers = await requests.stop();
  const report = await judge(world, load, { ...answers });
  const passed =
    report.passed &&
    areAnswered(answers, ['200', '503']) &&
    report['parked'] === 0 &&
    report['attempted'] === report['accepted'];
  return { ...report, passed };
}

/** The database killed, and back after 5 s. */
export function databaseKill(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      world.stack.database!.signal('SIGKILL');
      await sleep(5000);
      await world.stack.database!.start();
    }),
  );
}

/** The database frozen for 20 s: nobody hangs on it. */
export function databaseFrozen(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      world.stack.database!.signal('SIGSTOP');
      await sleep(20_000);
      world.stack.database!.signal('SIGCONT');
    }),
  );
}

const ELECTION_SECONDS = 12;

/** The primary steps down, and the others need as long to elect one as a set does by its defaults. */
export function databaseElection(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      const client = await mongoose.createConnection(world.stack.mongoUri).asPromise();
      // A mongod closes the connection in place of the reply, in some versions.
      await client
        .db!.admin()
        .command({ replSetStepDown: ELECTION_SECONDS, force: true })
        .catch(() => undefined);
      await client.close(true);
      await sleep(ELECTION_SECONDS * 1000);
    }),
  );
}

/** Every packet to and from the database half a second late, for 20 s. */
export async function databaseSlow(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withWorld(
    {
      before: async (stack, settings) => {
        const url = new URL(stack.mongoUri);
        proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
        url.host = `127.0.0.1:${proxy.port}`;
        // Past the replica set's own idea of its address, which would lead around the proxy.
        url.searchParams.delete('replicaSet');
        url.searchParams.set('directConnection', 'true');
        settings.mongoUri = url.href;
      },
    },
    (world) =>
      underLoad(world, async () => {
        proxy!.set('late');
        await sleep(20_000);
        proxy!.set('pass');
      }),
  );
  await proxy?.stop();
  return report;
}
