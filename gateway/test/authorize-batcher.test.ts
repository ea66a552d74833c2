import { createServer } from 'node:http';
import { Metrics } from '@waymark/kernel/process/metrics';
import type { AuthorizeResponse, AuthorizeRequest } from '@waymark/contract/authorize';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
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
  const greedy = ask('greedy', 600);
  const others = ask('first', 400).concat(ask('second', 500), ask('third', 500), ask('fourth', 300));
  // The queue holds 2,000 and refuses the rest at once.
  expect(await countOutcomes(greedy)).toEqual({ service_unavailable: 500, rate_limit_exceeded: 100 });
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

test('requests with unknown credentials of one address share the budget of the address', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const services = ['AUTH', 'RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'];
  const parts = testProcess(gatewayConfig, {
    IDENTITY_PRIVATE_KEY: identityKeys().privateKey,
    ...Object.fromEntries(services.map((service) => [`${service}_URL`, urlOf(silent)])),
    AUTHORIZE_TIMEOUT_MS: '5000',
  });
  const url = urlOf(await startGateway(parts));
  const ask = async (token: string) =>
    (await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } })).status;
  const statuses = await Promise.all(Array.from({ length: 300 }, (_, index) => ask(`unknown-${index}`)));
  expect(statuses.filter((status) => status === 429)).toHaveLength(50);
  expect(statuses.filter((status) => status === 503)).toHaveLength(250);
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
  await parts.lifecycle.stop();
});

test('known credentials are remembered with their user, up to the maximum', () => {
  const known = new KnownCredentials(2);
  for (const hash of ['first', 'second', 'third']) known.rememberCredential(hash, 'usr_1');
  known.forgetCredential('third');
  expect(['first', 'second', 'third'].map((hash) => known.findUser(hash))).toEqual([undefined, 'usr_1', undefined]);
});
