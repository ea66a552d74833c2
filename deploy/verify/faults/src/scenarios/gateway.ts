import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntilReady } from '@waymark/launcher/system';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';

interface Seen {
  statuses: Record<string, number>;
  failed: number;
}

/** Sends requests to one gateway, with a token that has or lacks access, until it is stopped. */
function ask(environment: Environment, url: () => string, token: string): { seen: Seen; stop: () => Promise<void> } {
  const seen: Seen = { statuses: {}, failed: 0 };
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      const path = `${url()}/api/v1/workspaces/${environment.demo.workspace}/links?per_page=1`;
      await fetch(path, { headers: { authorization: `Bearer ${token}` } }).then(
        async (response) => {
          await response.text();
          seen.statuses[response.status] = (seen.statuses[response.status] ?? 0) + 1;
        },
        () => (seen.failed += 1),
      );
      await sleep(10);
    }
  })();
  return { seen, stop: () => ((stopped = true), done) };
}

/** Auth frozen, then killed: a token without access stays refused, and one with access gets 503 until auth is back. */
export function authAway(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const good = ask(environment, () => environment.system.baseUrl, environment.demo.users['owner']!.token);
    const bad = ask(environment, () => environment.system.baseUrl, environment.demo.users['outsider']!.token);
    const auth = environment.system.process('auth');
    await sleep(1000);
    auth.signal('SIGSTOP');
    await sleep(8000);
    auth.signal('SIGCONT');
    await sleep(1000);
    await auth.kill();
    await sleep(3000);
    await auth.start();
    await waitUntilReady(auth);
    await sleep(2000);
    const before = good.seen.statuses['200'] ?? 0;
    await sleep(1000);
    await Promise.all([good.stop(), bad.stop()]);
    const wrongAllow = bad.seen.statuses['200'] ?? 0;
    const recovered = (good.seen.statuses['200'] ?? 0) > before;
    const known = [...Object.keys(good.seen.statuses), ...Object.keys(bad.seen.statuses)];
    const onlyKnown = known.every((status) => ['200', '403', '503'].includes(status));
    const unavailable = good.seen.statuses['503'] ?? 0;
    return {
      good: good.seen,
      bad: bad.seen,
      wrong_allow: wrongAllow,
      passed: wrongAllow === 0 && recovered && onlyKnown && unavailable > 0 && good.seen.failed === 0,
    };
  });
}

/** Two gateways restarted in turn behind a client that goes to the one that is ready: no request fails. */
export function gatewayRolling(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const gateways = [environment.system.process('gateway'), await environment.system.startReplica('gateway')];
    let active = 0;
    const clients = Array.from({ length: 8 }, () =>
      ask(environment, () => gateways[active]!.url, environment.demo.users['owner']!.token),
    );
    for (let round = 0; round < 6; round += 1) {
      await sleep(2000);
      const leaving = gateways[active]!;
      active = 1 - active;
      // An orchestrator removes a pod from the service before it ends it; requests in flight are finished.
      await leaving.stop();
      await leaving.start();
      await waitUntilReady(leaving);
    }
    await Promise.all(clients.map((client) => client.stop()));
    const failed = clients.reduce((sum, { seen }) => sum + seen.failed, 0);
    const answered = clients.reduce((sum, { seen }) => sum + (seen.statuses['200'] ?? 0), 0);
    const other: Record<string, number> = {};
    for (const [status, count] of clients.flatMap(({ seen }) => Object.entries(seen.statuses))) {
      if (status !== '200') other[status] = (other[status] ?? 0) + count;
    }
    return { restarts: 6, answered, failed, other, passed: failed === 0 && Object.keys(other).length === 0 };
  });
}
