import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Deployment } from '@waymark/contract/deployments';
import { isServedIn, type RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { waitFor } from '@waymark/testing/wait-for';
import { backing, entryOf } from '@waymark/launcher/process-table';
import { runScenario } from '@waymark/e2e/scenario';
import { CASES, type Case } from './cases.js';
import type { ApiTests } from './context.js';
import { everythingKept, listenIn, secretsIn } from './leaks.js';

interface Entry {
  id: string;
  action: string;
  actor: { type: string; id: string | null; email: string | null; token_id: string | null };
  target: { type: string; id: string; label: string | null } | null;
  ip_address: string | null;
  request_id: string | null;
}

/** A request that was sent. */
interface Asked {
  requestId: string;
  expected: Case;
  workspace: string;
  as: string;
}

const keyOf = ({ method, path }: RouteDefinition) =>
  `${method} ${path.replace('/workspaces/{workspace}', '…').replace(/\{\w+\}/g, '{}')}`;

const PER_PAGE = 100;

/** True for routes that change something, or export the data of a workspace. */
const isAudited = (route: RouteDefinition) => route.method !== 'GET' || route.path.endsWith('/export');

const routesOf = (deployment: Deployment): string[] =>
  Object.values<RouteDefinition>(ROUTES)
    .filter((route) => isServedIn(route, deployment) && isAudited(route))
    .map(keyOf);

/** Every change leaves its entries in the audit log, and no secret anywhere. */
export function auditTests({ deployment, running, caller, conformance }: ApiTests): void {
  const routes = routesOf(deployment);
  const cases = CASES.filter(({ route }) => routes.includes(route));
  const asked: Asked[] = [];
  let events: Awaited<ReturnType<typeof listenIn>>;

  beforeAll(async () => {
    events = await listenIn(running().system.settings);
  });
  afterAll(() => events?.stop());

  test('it is said of every route that changes something what it leaves in the audit log', () => {
    expect(routes.filter((route) => !cases.some((each) => each.route === route))).toEqual([]);
  });

  test.each(cases.map((each) => [each.route, each.situation, each] as const))(
    '%s %s answers as expected, and as documented',
    async (_route, _situation, expected) => {
      const { ids = [], workspace = running().demo.workspace, ...ask } = await expected.request(caller());
      const [method, path] = expected.route.split(' ') as [string, string];
      const url = ids.reduce((left, id) => left.replace('{}', id), path);
      const { status, requestId, text, headers, body: answer } = await caller().call(method, url, ask);
      expect([status, text]).toEqual([expected.status, expect.anything()]);
      const exchange = { method, path: caller().pathOf(url), body: ask.body, status, headers, answer };
      expect(conformance().problemsOf(exchange)).toEqual([]);
      const { as = 'program' } = ask;
      asked.push({ requestId, expected, workspace, as });
    },
  );

  function check(entries: Entry[], { expected, as }: Asked): void {
    const { route, situation, leaves, target, by } = expected;
    const actions = entries.map(({ action }) => action).sort();
    expect({ route, situation, actions }).toEqual({ route, situation, actions: leaves });
    const { email } = caller().demo.users[by ?? 'owner']!;
    const byProgram = { type: 'token', email, token_id: expect.stringMatching(/^tok_/) as string };
    const byPerson = { type: 'user', email, token_id: null };
    const byNobody = { type: 'user', id: null, email: null, token_id: null };
    for (const { action, actor, target: about, ip_address } of entries) {
      expect(actor).toMatchObject(action === 'session.failed' ? byNobody : as === 'program' ? byProgram : byPerson);
      if (target) expect(about).toMatchObject({ type: target, id: expect.any(String) });
      expect(ip_address).toBe('127.0.0.1');
    }
  }

  const newest = (workspace: string, as: string, page = 1): Promise<Entry[]> =>
    caller().made(
      'GET',
      `/workspaces/${workspace}/audit-logs?per_page=${PER_PAGE}&page=${page}`,
      undefined,
      readerOf(as),
    );

  async function readLogs(): Promise<Map<string, Entry[]>> {
    const logs = new Map<string, Entry[]>();
    for (const { workspace, as } of asked) if (!logs.has(workspace)) logs.set(workspace, await readLog(workspace, as));
    return logs;
  }

  async function readLog(workspace: string, as: string): Promise<Entry[]> {
    return waitFor('no entry to be added while the pages are read', async () => {
      const log: Entry[] = [];
      for (;;) {
        const entries = await newest(workspace, as, log.length / PER_PAGE + 1);
        log.push(...entries);
        if (entries.length < PER_PAGE) break;
      }
      return new Set(log.map(({ id }) => id)).size === log.length && log;
    });
  }

  test('what the operator does is entered too, as done by the system', async () => {
    const { workspace } = running().demo;
    const env = { PATH: process.env['PATH'], ...backing(running().system.settings, 'auth') };
    const plan = ['workspace', 'plan', '--slug', workspace, '--plan', 'business'];
    await promisify(execFile)(process.execPath, [entryOf('auth', 'admin/main.js'), ...plan], { env });
    const entry = await waitFor('the entry', async () =>
      (await newest(workspace, 'program')).find(({ action }) => action === 'workspace.plan_changed'),
    );
    expect(entry).toMatchObject({ actor: { type: 'system', id: null }, target: { type: 'workspace', id: workspace } });
    await promisify(execFile)(process.execPath, [entryOf('auth', 'admin/main.js'), ...plan.with(-1, 'enterprise')], {
      env,
    });
  });

  test('the use of a revoked token is entered, without the token', async () => {
    const { body } = await caller().call('POST', '…/tokens', { body: { name: 'Leaked' } });
    const { id } = body.data as { id: string };
    await caller().call('DELETE', `…/tokens/${id}`);
    const headers = { authorization: `Bearer ${body.meta.plaintext_token}` };
    expect((await caller().call('GET', '/user', { as: 'nobody', headers })).status).toBe(401);
    const entry = await waitFor(
      'the entry',
      async () =>
        (await newest(running().demo.workspace, 'program')).find(({ action }) => action === 'token.refused') ?? false,
    );
    expect(entry).toMatchObject({
      actor: { type: 'token', token_id: id },
      target: { type: 'token', id, label: 'Leaked' },
      ip_address: '127.0.0.1',
    });
  });

  test('every request leaves exactly its entries, and the chain is valid', async () => {
    expect(asked).toHaveLength(cases.length);
    const entriesOf = ({ workspace, requestId }: Asked, logs: Map<string, Entry[]>) =>
      logs.get(workspace)!.filter((entry) => entry.request_id === requestId);
    await waitFor('every entry', async () => {
      const logs = await readLogs();
      return asked.every((one) => entriesOf(one, logs).length >= one.expected.leaves.length);
    });
    const logs = await readLogs();
    for (const one of asked) check(entriesOf(one, logs), one);
    const log = logs.get(running().demo.workspace)!;
    const verdict = (await caller().made('GET', '…/audit-logs/verify')) as { valid: boolean; checked: number };
    expect(verdict.valid).toBe(true);
    expect(verdict.checked).toBeGreaterThanOrEqual(log.length);
  });

  test('no secret is kept anywhere, and no log has a line that is not one JSON object', async () => {
    if (deployment === 'links') await runScenario(running().demo, () => undefined);
    await provokeLogs();
    expect(caller().secrets.size).toBeGreaterThan(20);
    expect(events.heard.length).toBeGreaterThan(cases.length);
    const found = events.heard.flatMap((text) => secretsIn(text, caller().secrets).map((secret) => ['events', secret]));
    const searched = new Set<string>();
    for await (const [where, text] of everythingKept(running().system.settings)) {
      searched.add(where);
      found.push(...secretsIn(text, caller().secrets).map((secret) => [where, secret]));
      if (where.endsWith('.log')) expectLines(text);
    }
    expect(found).toEqual([]);
    expect([...searched]).toEqual(
      expect.arrayContaining(['audit.log_entries', 'auth.tokens', 'auth.log', 'gateway.log']),
    );
  });

  /** Sends line breaks in every value that a log line may repeat, and credentials in wrong places. */
  async function provokeLogs(): Promise<void> {
    const { owner } = caller();
    const text = 'a\r\n{"level":"fatal"}\nb';
    await caller().call('POST', '…/tokens', { body: { name: text } });
    await caller().call('POST', '…/webhooks', { body: { url: text, description: text, event_types: [text] } });
    await caller().call('GET', `…/${encodeURIComponent(text)}?x=${encodeURIComponent(text)}`);
    await caller().call('DELETE', `…/tokens/${owner.token}`);
    await caller().call('GET', `/user?token=${owner.token}&password=${encodeURIComponent(owner.password)}`);
    await caller().call('POST', '/session', { as: 'nobody', body: { email: text, password: `${owner.password}x` } });
    await caller().call('GET', '/user', { as: 'nobody', headers: { authorization: `Bearer ${owner.token}x` } });
    await caller().call('GET', '/user', { as: 'nobody', headers: { authorization: `Basic ${owner.token}` } });
    await caller().call('GET', '/user', { headers: { 'x-request-id': owner.token, traceparent: owner.token } });
  }

  function expectLines(log: string): void {
    expect(log.endsWith('\n')).toBe(true);
    for (const line of log.slice(0, -1).split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
  }
}

/** A workspace that the browser's user created is not accessible to the token. */
const readerOf = (as: string) => (as === 'browser' ? 'browser' : 'program');
