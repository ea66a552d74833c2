import { ConcurrencyPools, type EndpointHealth } from '@waymark/webhook/dispatch/concurrency-pools';

/** Starts deliveries that last until the test ends them, and records which have begun. */
function deliveries(pools: ConcurrencyPools) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  /** @param tenants the workspace, and the user who created the endpoint */
  const start = (tenants: string | [string, string], host: string, health: EndpointHealth = 'healthy') =>
    void pools.runDelivery({ health, route: { tenants: [tenants].flat(), host }, onSlow: () => undefined }, () => {
      begun.push([tenants].flat()[0]!);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  /** Ends the oldest delivery, and waits until those that it admits have begun. */
  const endOne = async () => {
    ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    begun,
    start,
    endOne,
    endAll: async () => {
      while (ends.length > 0) await endOne();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => jest.useRealTimers());

test('one workspace has at most a quarter of a pool, however many deliveries it starts', async () => {
  const { begun, start, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 16, hostMax: 1000 }));
  for (let i = 0; i < 100; i += 1) start('greedy', `host-${i}.example.com`);
  for (let i = 0; i < 3; i += 1) start('modest', 'modest.example.com');
  await settled();
  expect(begun.filter((workspace) => workspace === 'greedy')).toHaveLength(4);
  expect(begun.filter((workspace) => workspace === 'modest')).toHaveLength(3);
  await endAll();
  expect(begun).toHaveLength(103);
});

test('the workspaces of one user have at most a quarter of each pool together, and one turn', async () => {
  for (const [health, quarter] of [
    ['healthy', 4],
    ['slow', 1],
    ['unresponsive', 1],
  ] as const) {
    const { begun, start, endOne, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 16, hostMax: 1000 }));
    for (let i = 0; i < 100; i += 1) start([`greedy-${i}`, 'mallory'], `host-${i}.example.com`, health);
    for (let i = 0; i < 3 * quarter; i += 1) start([`modest-${i}`, `user-${i}`], 'modest.example.com', health);
    await settled();
    const isGreedy = (workspace: string) => workspace.startsWith('greedy');
    expect(begun.filter(isGreedy)).toHaveLength(quarter);
    expect(begun.filter((workspace) => !isGreedy(workspace))).toHaveLength(3 * quarter);
    start(['late', 'user-late'], 'late.example.com', health);
    await endOne();
    await endOne();
    expect(begun.slice(4 * quarter)).toContain('late');
    await endAll();
    expect(begun).toHaveLength(100 + 3 * quarter + 1);
  }
});

test('one workspace keeps its quarter, however many users created its endpoints', async () => {
  const { begun, start, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 16, hostMax: 1000 }));
  for (let i = 0; i < 20; i += 1) start(['greedy', `user-${i}`], `host-${i}.example.com`);
  await settled();
  expect(begun).toHaveLength(4);
  await endAll();
  expect(begun).toHaveLength(20);
});

test('the workspaces of one user receive half of the limit of a host together', async () => {
  const { begun, start, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 400, hostMax: 6 }));
  for (let i = 0; i < 20; i += 1) start([`greedy-${i}`, 'mallory'], 'victim.example.com');
  await settled();
  expect(begun).toHaveLength(3);
  await endAll();
  expect(begun).toHaveLength(20);
});

test('the workspaces of one user have a quarter of the deliveries outside the pools, and keep their permits beyond', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const pools = new ConcurrencyPools({ inFlightMax: 16, hostMax: 1000 });
  const { begun, start, endAll } = deliveries(pools);
  for (let i = 0; i < 100; i += 1) start([`greedy-${i}`, 'mallory'], `greedy-${i}.example.com`);
  for (let second = 0; second < 30; second += 1) {
    await settled();
    jest.advanceTimersByTime(1000);
  }
  await settled();
  // 12 of 48 outside the pool, and 4 of 16 in it.
  expect(begun).toHaveLength(16);
  for (let i = 0; i < 12; i += 1) start([`modest-${i}`, `user-${i}`], 'modest.example.com');
  await settled();
  expect(begun).toHaveLength(28);
  await endAll();
  expect([begun.length, pools.inFlight]).toEqual([112, 0]);
});

test('one host receives no more than its limit, and from one workspace half of it', async () => {
  const { begun, start, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 400, hostMax: 6 }));
  for (let i = 0; i < 20; i += 1) start('greedy', 'victim.example.com');
  await settled();
  expect(begun).toHaveLength(3);
  for (const workspace of ['second', 'third', 'fourth', 'fifth']) start(workspace, 'victim.example.com');
  start('fifth', 'other.example.com');
  await settled();
  expect(begun.slice(3)).toEqual(['second', 'third', 'fourth', 'fifth']);
  await endAll();
  expect(begun).toHaveLength(25);
});

test('a host keeps its limit in all pools together', async () => {
  const { begun, start, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 400, hostMax: 4 }));
  for (const health of ['healthy', 'slow', 'unresponsive'] as const) {
    for (let i = 0; i < 5; i += 1) start(`${health}-${i}`, 'victim.example.com', health);
  }
  await settled();
  expect(begun).toHaveLength(4);
  await endAll();
  expect(begun).toHaveLength(15);
});

test('workspaces that wait for places take turns', async () => {
  const { begun, start, endOne, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 4, hostMax: 1000 }));
  for (const workspace of ['a', 'b', 'c', 'd']) start(workspace, 'first.example.com');
  for (let i = 0; i < 3; i += 1) start('greedy', 'greedy.example.com');
  start('modest', 'modest.example.com');
  await settled();
  for (let i = 0; i < 4; i += 1) await endOne();
  expect(begun.slice(4, 6)).toEqual(['greedy', 'modest']);
  await endAll();
  expect(begun).toHaveLength(8);
});

test('a workspace has one turn, however many hosts it sends to', async () => {
  const { begun, start, endOne, endAll } = deliveries(new ConcurrencyPools({ inFlightMax: 40, hostMax: 1000 }));
  for (let i = 0; i < 40; i += 1) start(`first-${i % 4}`, 'first.example.com');
  for (let i = 0; i < 20; i += 1) start('greedy', `greedy-${i}.example.com`);
  for (let i = 0; i < 3; i += 1) start('modest', 'modest.example.com');
  await settled();
  for (let i = 0; i < 6; i += 1) await endOne();
  expect(begun.slice(40, 46)).toEqual(['greedy', 'modest', 'greedy', 'modest', 'greedy', 'modest']);
  await endAll();
  expect(begun).toHaveLength(63);
});

test('three deliveries per permit continue outside a pool, however many hang', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const pools = new ConcurrencyPools({ inFlightMax: 4, hostMax: 1000 });
  const { begun, start, endAll } = deliveries(pools);
  for (let i = 0; i < 100; i += 1) start(`workspace-${i}`, `host-${i}.example.com`);
  for (let second = 0; second < 30; second += 1) {
    await settled();
    jest.advanceTimersByTime(1000);
  }
  await settled();
  expect([begun.length, pools.inFlight]).toEqual([16, 16]);
  await endAll();
  expect([begun.length, pools.inFlight]).toEqual([100, 0]);
});

test('a failed delivery releases its permits', async () => {
  const pools = new ConcurrencyPools({ inFlightMax: 4, hostMax: 2 });
  const fail = () =>
    pools.runDelivery({ health: 'healthy', route: { tenants: ['a'], host: 'b' }, onSlow: () => undefined }, () =>
      Promise.reject(new Error('no')),
    );
  for (let i = 0; i < 10; i += 1) await expect(fail()).rejects.toThrow('no');
  expect(pools.inFlight).toBe(0);
});
