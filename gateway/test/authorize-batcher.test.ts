import { Metrics } from '@waymark/kernel/process/metrics';
import type { AuthorizeResponse, AuthorizeRequest } from '@waymark/contract/authorize';
import { waitFor } from '@waymark/testing/wait-for';
import { AuthorizeBatcher } from '@waymark/gateway/authorize/authorize-batcher';

const request: AuthorizeRequest = {
  credential: { type: 'bearer', token: 'wmk_x' },
  workspace: null,
  ip_address: null,
};
const nothing = { note: () => undefined };
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

test('the batcher answers requests after failed ones', async () => {
  let isUp = false;
  const answer = (requests: AuthorizeRequest[]) =>
    isUp ? Promise.resolve(requests.map(() => unauthenticated)) : Promise.reject(new Error('auth is away'));
  const batcher = new AuthorizeBatcher({ sendBatch: answer, timeoutMs: 5000, unserved: nothing }, new Metrics('test'));
  const burst = () => countOutcomes(Array.from({ length: 500 }, () => batcher.authorizeRequest(request)));
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
  const batcher = new AuthorizeBatcher({ sendBatch, timeoutMs: 1000, unserved: nothing }, new Metrics('test'));
  const ask = (workspace: string) => countOutcomes([batcher.authorizeRequest({ ...request, workspace })]);
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

test('the batcher takes back what auth has counted too late', async () => {
  const noted: string[] = [];
  let answer: (responses: unknown[]) => void;
  const sendBatch = () => new Promise<AuthorizeResponse[]>((resolve) => (answer = resolve as typeof answer));
  const unserved = { note: (entry: string) => void noted.push(entry) };
  const batcher = new AuthorizeBatcher({ sendBatch, timeoutMs: 100, unserved }, new Metrics('test'));
  expect(await countOutcomes([batcher.authorizeRequest(request)])).toEqual({ service_unavailable: 1 });
  answer!([{ outcome: 'authenticated', limit: { allowed: true, entry: 'usr_1:acme:7' } }]);
  await waitFor('the entry', () => noted.length === 1);
  expect(noted).toEqual(['usr_1:acme:7']);
});
