import { createServer } from 'node:http';
import { Metrics } from '@waymark/kernel/process/metrics';
import type { AuthorizeResponse, AuthorizeRequest } from '@waymark/contract/authorize';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startGateway } from '@waymark/gateway/app';
import { AuthorizeBatcher } from '@waymark/gateway/authorize/authorize-batcher';
import { gatewayConfig } from '@waymark/gateway/config';
import { KnownCredentials } from '@waymark/gateway/limits/known-credentials';

const request: AuthorizeRequest = {
  credential: { type: 'bearer', token: 'wmk_x' },
  workspace: null,
  ip_address: null,
};
const unauthenticated: AuthorizeResponse = { outcome: 'unauthenticated' };

/** Counts the outcomes by error code. */
async function countOutcomes(responses: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(responses)) {
    const outcome = result.status === 'fulfilled' ? 'answered' : (result.reason as { code: string }).code;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

test('the batcher bounds the requests that wait for auth, in total and per caller', async () => {
  const batcher = new AuthorizeBatcher(() => new Promise(() => undefined), 500, new Metrics('test'));
  const ask = (caller: string, count: number) =>
    Array.from({ length: count }, () => batcher.authorizeRequest(request, [{ key: caller, max: 500 }]));
  let refusedCount = 0;
  const greedy = ask('greedy', 600);
  for (const one of greedy) one.catch(() => (refusedCount += 1));
  const others = ask('first', 400).concat(ask('second', 500), ask('third', 500), ask('fourth', 300));
  // The queue holds 500 of each caller, 2,000 in all, and refuses the rest at once.
  await new Promise((resolve) => setImmediate(resolve));
  expect(refusedCount).toBe(100);
  expect(await countOutcomes(greedy)).toEqual({ service_unavailable: 600 });
  expect(await countOutcomes(others)).toEqual({ service_unavailable: 1700 });
});

test('the batcher releases its budget after answered and failed requests', async () => {
  let isUp = false;
  const answer = (requests: AuthorizeRequest[]) =>
    isUp ? Promise.resolve(requests.map(() => unauthenticated)) : Promise.reject(new Error('auth is away'));
  const batcher = new AuthorizeBatcher(answer, 5000, new Metrics('test'));
  const burst = () =>
    countOutcomes(Array.from({ length: 500 }, () => batcher.authorizeRequest(request, [{ key: 'one', max: 500 }])));
  expect(await burst()).toEqual({ service_unavailable: 500 });
  isUp = true;
  expect(await burst()).toEqual({ answered: 500 });
  expect(await burst()).toEqual({ answered: 500 });
});

test('the batcher sends at most two calls at a time, and no request that has timed out', async () => {
  const calls: { workspaces: (string | null)[]; answer: () => void }[] = [];
  const sendBatch = (requests: AuthorizeRequest[]) =>
    new Promise<AuthorizeResponse[]>((resolve) => {
      const answer = () => resolve(requests.map(() => unauthenticated));
      calls.push({ workspaces: requests.map(({ workspace }) => workspace), answer });
    });
  const batcher = new AuthorizeBatcher(sendBatch, 1000, new Metrics('test'));
  const ask = (workspace: string) => countOutcomes([batcher.authorizeRequest({ ...request, workspace }, [])]);
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

  const early = [ask('first')];
  await waitFor('the first call', () => calls.length === 1);
  early.push(ask('second'));
  await waitFor('the second call', () => calls.length === 2);
  early.push(ask('late'), ask('later'));
  await turn();
  expect(calls.map(({ workspaces }) => workspaces)).toEqual([['first'], ['second']]);
  expect(await Promise.all(early)).toEqual(Array.from({ length: 4 }, () => ({ service_unavailable: 1 })));

  for (const { answer } of calls) answer();
  await turn();
  expect(calls).toHaveLength(2);
  const next = ask('next');
  await waitFor('the next call', () => calls.length === 3);
  expect(calls[2]!.workspaces).toEqual(['next']);
  calls[2]!.answer();
  expect(await next).toEqual({ answered: 1 });
});

test('requests with unknown credentials of one address share the budget of the address', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const services = ['AUTH', 'RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'];
  const parts = testProcess(gatewayConfig, {
    IDENTITY_PRIVATE_KEY: identityKeys().privateKey,
    ...Object.fromEntries(services.map((service) => [`${service}_URL`, urlOf(silent)])),
    AUTHORIZE_TIMEOUT_MS: '600000',
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
  });
  const url = urlOf(await startGateway(parts));
  const statuses: number[] = [];
  const ask = async (token: string) => {
    const response = await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } });
    statuses.push(response.status);
  };
  const all = Promise.all(Array.from({ length: 300 }, (_, index) => ask(`unknown-${index}`)));
  await waitFor('the requests over the budget to be refused', () => statuses.length >= 50);
  const closed = new Promise((resolve) => silent.close(resolve));
  silent.closeAllConnections();
  await Promise.all([all, closed]);
  expect(statuses.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => 503));
  expect(statuses.slice(50)).toEqual(Array.from({ length: 250 }, () => 503));
  await parts.lifecycle.stop();
});

const NO_LIMIT = { policy: 'user', state: null, askedAt: 0 };

test('known credentials are remembered with their user, up to the maximum', () => {
  const known = new KnownCredentials(2);
  for (const hash of ['first', 'second', 'third']) known.rememberCredential(hash, 'usr_1', NO_LIMIT);
  known.forgetCredential('third');
  expect(['first', 'second', 'third'].map((hash) => known.findUser(hash))).toEqual([undefined, 'usr_1', undefined]);
});

test('a limit without room is remembered for the second in which auth would reject every request', () => {
  const known = new KnownCredentials();
  const find = (policy: string) => known.findExhaustedLimit('hash', policy);
  const state = { allowed: false, limit: 5, remaining: 0, windowSeconds: 60, resetSeconds: 60 };
  const remember = (fields: Partial<typeof state>, askedMsAgo = 0) => {
    const askedAt = performance.now() - askedMsAgo;
    known.rememberCredential('hash', 'usr_1', { policy: 'workspace acme', state: { ...state, ...fields }, askedAt });
  };
  // The time to go is far above what a busy machine takes for the next line.
  const soon = -600_000;
  remember({}, soon);
  expect(find('workspace acme')).toEqual(state);
  expect([find('workspace other'), find('user')]).toEqual([undefined, undefined]);
  remember({ allowed: true, remaining: 1 }, soon);
  expect(find('workspace acme')).toBeUndefined();
  remember({}, 1001);
  expect(find('workspace acme')).toBeUndefined();
  // Auth has rounded up: there may be room at once.
  remember({ resetSeconds: 1 });
  expect(find('workspace acme')).toBeUndefined();
});
