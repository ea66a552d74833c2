import { once } from 'node:events';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { Handler } from '@waymark/kernel/http/api';
import { file, item } from '@waymark/kernel/http/reply';
import { jsonPieces, textBytesIn } from '@waymark/kernel/http/send-json';
import { SharedBudget } from '@waymark/kernel/http/shared-budget';
import { ADA } from '@waymark/testing/service-caller';
import { SmallService } from '@waymark/testing/small-service';
import { waitFor } from '@waymark/testing/wait-for';

let service: SmallService;
let handler: Handler;
beforeAll(async () => {
  service = await SmallService.start({ service: 'audit', handler: (...request) => handler(...request) });
});
afterAll(() => service.stop());

const busyFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
let slowCount = 0;
/** A value that takes two milliseconds to read. */
const SLOW = {
  values: Array.from({ length: 1000 }, () => 0),
  get name() {
    slowCount += 1;
    busyFor(2);
    return 'x';
  },
};
const LONG = Array.from({ length: 100 }, (_, index) => ({ id: index, logo: 'x'.repeat(87_000) }));

describe('a long list', () => {
  test('is sent in pieces that form its JSON', async () => {
    handler = () => Promise.resolve(item(LONG, { total: 100 }));
    const { status, headers, body } = await service.caller.call('GET', '/audit-logs');
    expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
      200,
      'application/json; charset=utf-8',
      null,
    ]);
    expect(body).toEqual({ data: LONG, meta: { total: 100 } });
  });

  test('lets other work run between its pieces', async () => {
    let sent = 0;
    const items = LONG.map((one) => ({
      toJSON: () => {
        sent += 1;
        return one;
      },
    }));
    handler = () => Promise.resolve(item(items));
    const answer = service.caller.call('GET', '/audit-logs');
    const progress = new Set<number>();
    while (sent < items.length) {
      progress.add(sent);
      await turn();
    }
    expect(progress.size).toBeGreaterThan(20);
    expect((await answer).body.data).toHaveLength(100);
  });

  test('lets other work run while its memory is estimated', async () => {
    let [isDone, turns] = [false, 0];
    const estimate = textBytesIn(Array.from({ length: 100 }, () => SLOW)).finally(() => (isDone = true));
    while (!isDone) {
      await turn();
      turns += 1;
    }
    expect(turns).toBeGreaterThan(5);
    expect(await estimate).toBeGreaterThan(100 * 1000 * 8);
  });

  test('is sent at once with its length when its items are short', async () => {
    handler = () => Promise.resolve(item(Array.from({ length: 100 }, (_, index) => ({ index }))));
    const { headers, bytes } = await service.caller.call('GET', '/audit-logs');
    expect(headers.get('content-length')).toBe(String(bytes.length));
  });

  test('has no body for HEAD', async () => {
    handler = () => Promise.resolve(item(LONG));
    const { url, headers } = service.caller.addressed('/audit-logs');
    const answer = await fetch(url, { method: 'HEAD', headers });
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 0]);
  });

  test('has the same JSON as JSON.stringify for every kind of value', () => {
    const odd = { data: { a: [undefined, null, new Date(0), '\u2028"'], b: undefined, c: [], d: {} }, meta: undefined };
    expect([...jsonPieces(odd)].join('')).toBe(JSON.stringify(odd));
    fc.assert(
      fc.property(
        fc.record({ data: fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())) }),
        (body) => {
          expect([...jsonPieces(body)].join('')).toBe(JSON.stringify(body));
        },
      ),
    );
  });
});

test.each([
  ['empty lists', () => []],
  ['names', () => ({ n: 0 })],
])('the estimate of the memory of an answer counts its %s', async (_what, part) => {
  const count = 10_000;
  // An empty list or object takes 16 bytes, and its place in the list 8.
  expect(await textBytesIn(Array.from({ length: count }, () => part()))).toBeGreaterThan(count * 24);
});

describe('a client that does not read', () => {
  const clients: ClientRequest[] = [];
  const goAway = async () => {
    for (const client of clients.splice(0)) client.destroy();
    await waitFor('the sources to be closed', () => sourcesOpen === 0);
  };
  afterEach(goAway);
  afterEach(() => jest.restoreAllMocks());

  const responses: IncomingMessage[] = [];
  async function open(actor = ADA, workspace = 'acme'): Promise<number> {
    const { url, headers } = service.caller.addressed('/audit-logs', { actor, workspace });
    const client = get(url, { headers, agent: false });
    clients.push(client);
    client.on('error', () => undefined);
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).pause();
    responses.push(response);
    return response.statusCode!;
  }
  const user = (number: number) => ({ ...ADA, id: `usr_${number}` });

  let pieces = 0;
  let sourcesOpen = 0;
  const endless = async function* () {
    sourcesOpen += 1;
    try {
      for (;;) {
        pieces += 1;
        yield 'x'.repeat(16 * 1024);
        await turn();
      }
    } finally {
      sourcesOpen -= 1;
    }
  };
  beforeEach(() => {
    pieces = 0;
    responses.splice(0);
    handler = () => Promise.resolve(file(endless(), { type: 'text/csv', name: 'f.csv' }));
  });

  test('stops the source of its export once the buffers of the connection are full', async () => {
    expect(await open()).toBe(200);
    await sourcesStop();
    expect(pieces * 16).toBeLessThan(32 * 1024);
  });

  test('reserves a share of the memory for long answers, and releases it when it disconnects', async () => {
    handler = () => Promise.resolve(item(LONG));
    for (let index = 0; index < 2; index += 1) expect(await open()).toBe(200);
    expect(await open()).toBe(503);
    for (const number of [2, 3]) {
      for (let index = 0; index < 2; index += 1) expect(await open(user(number))).toBe(200);
    }
    // Seven of 8.7 MB fit 64 MB.
    expect(await open(user(4))).toBe(200);
    // Each of these takes the place of one of a user who has two.
    for (const number of [5, 6, 7]) expect(await open(user(number))).toBe(200);
    expect(await open(user(8))).toBe(503);
    await goAway();
    await waitFor('the memory to be released', async () => (await open()) === 200);
  });

  const MB = 1024 * 1024;
  const largeItem = (bytes: number) => () => Promise.resolve(item({ logo: 'x'.repeat(bytes) }));

  /** Less than a short answer needs is left of the memory for long answers. */
  async function openEightLarge(): Promise<number> {
    const length = 8 * MB - 10_000;
    handler = largeItem(length);
    for (let number = 0; number < 8; number += 1) expect(await open(user(number))).toBe(200);
    return length;
  }

  test('loses no answer to one that is refused after its estimate', async () => {
    const length = await openEightLarge();
    handler = largeItem(20 * MB);
    expect(await open(user(8))).toBe(503);
    for (const response of responses.slice(0, 8)) expect((await text(response)).length).toBeGreaterThan(length);
  });

  test('loses its oldest answer to a shorter one, whose estimate it does not keep out', async () => {
    await openEightLarge();
    handler = largeItem(200_000);
    expect(await open(user(8))).toBe(200);
    await expect(text(responses[0]!)).rejects.toThrow('aborted');
  });

  test('has a share of the estimates of the memory of answers', async () => {
    const count = 25;
    const body = ['x'.repeat(100_000), ...Array.from({ length: 20 }, () => SLOW)];
    let handleAll!: () => void;
    const allArrived = new Promise<void>((resolve) => (handleAll = resolve));
    let arrived = 0;
    handler = async () => {
      arrived += 1;
      if (arrived === count) handleAll();
      await allArrived;
      return item(body);
    };
    const statuses = await Promise.all(Array.from({ length: count }, () => open()));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('reserves memory for an answer that is one large item', async () => {
    handler = () => Promise.resolve(item({ logo: LONG.map(({ logo }) => logo).join('') }));
    for (let index = 0; index < 2; index += 1) expect(await open()).toBe(200);
    expect(await open()).toBe(503);
  });

  test.each([
    ['an export', () => file(endless(), { type: 'text/csv', name: 'f.csv' })],
    ['a long answer', () => item(LONG)],
  ])('leaves nothing reserved when it disconnects before %s begins', async (_what, reply) => {
    for (let index = 0; index < 10; index += 1) {
      let handled!: () => void;
      const isHandled = new Promise<void>((resolve) => (handled = resolve));
      handler = async (_request, response) => {
        client.destroy();
        await once(response, 'close');
        setImmediate(handled);
        return reply();
      };
      const { url, headers } = service.caller.addressed('/audit-logs');
      const client = get(url, { headers, agent: false });
      client.on('error', () => undefined);
      await isHandled;
    }
    handler = () => Promise.resolve(reply());
    expect(await open()).toBe(200);
  });

  test('leaves nothing reserved when it disconnects while the memory of a long answer is estimated', async () => {
    slowCount = 0;
    for (let index = 0; index < 10; index += 1) {
      let isClosed!: () => void;
      const closed = new Promise<void>((resolve) => (isClosed = resolve));
      handler = (_request, response) => {
        response.once('close', isClosed);
        client.destroy();
        return Promise.resolve(item([...LONG, ...LONG.map(() => SLOW)]));
      };
      const { url, headers } = service.caller.addressed('/audit-logs');
      const client = get(url, { headers, agent: false });
      client.on('error', () => undefined);
      await closed;
    }
    await waitFor('the estimates to end', () => slowCount === 10 * LONG.length);
    for (let index = 0; index < 10; index += 1) await turn();
    handler = () => Promise.resolve(item(LONG));
    expect(await open()).toBe(200);
  });

  test('has a share of the exports, beyond which the next one waits until one of them ends', async () => {
    for (let index = 0; index < 8; index += 1) expect(await open()).toBe(200);
    const ninth = open();
    expect(await open({ ...ADA, id: 'usr_2' })).toBe(200);
    expect(sourcesOpen).toBe(9);
    clients[0]!.destroy();
    expect(await ninth).toBe(200);
  });

  test('loses the oldest of its exports to a caller that has fewer when all places are taken', async () => {
    for (let index = 0; index < 64; index += 1) expect(await open(user(index % 8))).toBe(200);
    expect(await open(user(8))).toBe(200);
    await expect(text(responses[0]!)).rejects.toThrow('aborted');
    await waitFor('its source to be closed', () => sourcesOpen === 64);
  });

  /** Resolves once no source has given a piece for many turns. */
  async function sourcesStop(): Promise<void> {
    let before = -1;
    await waitFor('the sources to stop', async () => {
      for (let index = 0; index < 1000; index += 1) await turn();
      const hasStopped = before === pieces;
      before = pieces;
      return hasStopped;
    });
  }

  test('loses its export to a caller that has as few once it has taken too little for a minute', async () => {
    const openIn = (number: number) => open(user(number), `workspace-${number}`);
    for (let number = 0; number < 64; number += 1) expect(await openIn(number)).toBe(200);
    await sourcesStop();
    expect(await openIn(64)).toBe(503);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    expect(await openIn(64)).toBe(200);
    await expect(text(responses[0]!)).rejects.toThrow('aborted');
  });

  test('loses no verification to exports, and takes no place of theirs', async () => {
    for (let index = 0; index < 64; index += 1) expect(await open(user(index))).toBe(200);
    expect(await open(user(64))).toBe(503);
    handler = () => Promise.resolve({ content: endless(), streamLimit: 'verifications' });
    for (let index = 0; index < 4; index += 1) expect(await open()).toBe(200);
    expect(sourcesOpen).toBe(68);
  });
});

describe('a shared budget', () => {
  test('gives a caller no more than its share, and all callers no more than the total', () => {
    const budget = new SharedBudget('bytes', 100, 60);
    const release = budget.reserve(50, 'ada');
    expect(() => budget.reserve(20, 'ada')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    budget.reserve(40, 'bob');
    expect(() => budget.reserve(20, 'eve')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    release();
    release();
    budget.reserve(20, 'eve');
    expect(() => budget.reserve(50, 'ada')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    budget.reserve(40, 'ada');
  });

  test('lets a caller wait for its own earlier uses, in order, and no other caller', async () => {
    const budget = new SharedBudget('bytes', 100, 60);
    const releases = [await budget.acquire(60, 'ada')];
    const granted: string[] = [];
    const acquire = async (name: string, amount: number) => {
      releases.push(await budget.acquire(amount, 'ada'));
      granted.push(name);
    };
    const waiting = [acquire('first', 50), acquire('second', 30), acquire('third', 30)];
    releases.push(await budget.acquire(40, 'bob'));
    expect(granted).toEqual([]);
    releases[0]!();
    await waiting[0];
    expect(granted).toEqual(['first']);
    releases.at(-1)!();
    await Promise.all(waiting);
    expect(granted).toEqual(['first', 'second', 'third']);
  });

  const holdersOf = (budget: SharedBudget) => {
    const held = new Map<string, () => void>();
    const slow = new Set<string>();
    const reserve = (name: string, workspace: string, amount = 1) => {
      const [caller] = name.split('/');
      const use = { workspace, end: () => held.delete(name), isSlow: () => slow.has(name) };
      held.set(name, budget.reserve(amount, caller!, use));
    };
    return { reserve, slow, names: () => [...held.keys()] };
  };

  test('ends the oldest use of the caller that has most, for callers that have less', () => {
    const { reserve, names } = holdersOf(new SharedBudget('bytes', 5, 5));
    for (const name of ['ada/1', 'bob/1', 'bob/2', 'ada/2', 'bob/3']) reserve(name, 'acme');
    reserve('eve/1', 'acme');
    expect(names()).toEqual(['ada/1', 'bob/2', 'ada/2', 'bob/3', 'eve/1']);
    reserve('eve/2', 'globex');
    expect(names()).toEqual(['bob/2', 'ada/2', 'bob/3', 'eve/1', 'eve/2']);
    expect(() => reserve('eve/3', 'acme')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  });

  test('ends a use of the workspace that has most, whose callers have one each', () => {
    const { reserve, names } = holdersOf(new SharedBudget('bytes', 3));
    for (const caller of ['ada', 'bob', 'cyd']) reserve(caller, 'acme');
    reserve('eve', 'globex');
    expect(names()).toEqual(['bob', 'cyd', 'eve']);
    expect(() => reserve('fay', 'acme')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  });

  test('ends the oldest slow use, for a caller that has as much, when no caller has more', () => {
    const { reserve, slow, names } = holdersOf(new SharedBudget('bytes', 3));
    for (const name of ['ada', 'bob', 'cyd']) reserve(name, `workspace of ${name}`);
    for (const name of ['bob', 'cyd']) slow.add(name);
    reserve('eve', 'workspace of eve');
    expect(names()).toEqual(['ada', 'cyd', 'eve']);
    reserve('fay', 'workspace of fay');
    expect(names()).toEqual(['ada', 'eve', 'fay']);
    expect(() => reserve('gus', 'workspace of gus')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  });

  test('ends a slow use neither for a caller that has more, nor before those of one that has more', () => {
    const { reserve, slow, names } = holdersOf(new SharedBudget('bytes', 3));
    for (const name of ['bob', 'ada/1', 'ada/2']) reserve(name, `workspace of ${name}`);
    slow.add('bob');
    expect(() => reserve('ada/3', 'globex')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    reserve('eve', 'workspace of eve');
    expect(names()).toEqual(['bob', 'ada/2', 'eve']);
  });

  test('ends no use when not enough would be released', () => {
    const { reserve, names } = holdersOf(new SharedBudget('bytes', 10));
    reserve('ada/1', 'acme', 4);
    reserve('ada/2', 'acme', 4);
    expect(() => reserve('eve', 'globex', 7)).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    expect(names()).toEqual(['ada/1', 'ada/2']);
    reserve('eve', 'globex', 5);
    expect(names()).toEqual(['ada/2', 'eve']);
  });

  test('has the amount of a use back once, although it is ended and then released', () => {
    const budget = new SharedBudget('bytes', 2);
    let isEnded = false;
    const release = budget.reserve(1, 'ada', { workspace: 'acme', end: () => (isEnded = true) });
    budget.reserve(1, 'ada', { workspace: 'acme', end: () => undefined });
    budget.reserve(1, 'eve', { workspace: 'globex', end: () => undefined });
    expect(isEnded).toBe(true);
    release();
    expect(() => budget.reserve(1, 'fay')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  });

  test('grants an amount beyond its total while nothing else is reserved', () => {
    const budget = new SharedBudget('bytes', 100, 60);
    const release = budget.reserve(200, 'ada');
    expect(() => budget.reserve(1, 'bob')).toThrow();
    release();
    budget.reserve(1, 'bob');
  });
});
