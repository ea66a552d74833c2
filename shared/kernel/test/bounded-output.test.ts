import { once } from 'node:events';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { Handler } from '@waymark/kernel/http/api';
import { file, item } from '@waymark/kernel/http/reply';
import { jsonPieces } from '@waymark/kernel/http/send-json';
import { ADA } from '@waymark/testing/service-caller';
import { SmallService } from '@waymark/testing/small-service';
import { waitFor } from '@waymark/testing/wait-for';

let service: SmallService;
let handler: Handler;
beforeAll(async () => {
  service = await SmallService.start({ service: 'audit', handler: (...request) => handler(...request) });
});
afterAll(() => service.stop());

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

  test('is sent at once with its length when its items are short', async () => {
    handler = () => Promise.resolve(item(Array.from({ length: 100 }, (_, index) => ({ index }))));
    const { headers, bytes } = await service.caller.call('GET', '/audit-logs');
    expect(headers.get('content-length')).toBe(String(bytes.length));
  });

  test('has no body for HEAD', async () => {
    handler = () => Promise.resolve(item(LONG));
    const { url, headers } = service.caller.addressed('/audit-logs', { method: 'HEAD' });
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

describe('a client that does not read', () => {
  const clients: ClientRequest[] = [];
  const goAway = async () => {
    for (const client of clients.splice(0)) client.destroy();
    await waitFor('the sources to be closed', () => sourcesOpen === 0);
  };
  afterEach(goAway);

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

  test.each([
    ['an export', () => file(endless(), { type: 'text/csv', name: 'f.csv' })],
    ['a long answer', () => item(LONG)],
  ])('keeps no place when it disconnects before %s begins', async (_what, reply) => {
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

  test('has as many exports as its workspace may, beyond which the next one waits until one of them ends', async () => {
    for (let index = 0; index < 8; index += 1) expect(await open()).toBe(200);
    const ninth = open();
    expect(await open(ADA, 'globex')).toBe(200);
    expect(sourcesOpen).toBe(9);
    clients[0]!.destroy();
    expect(await ninth).toBe(200);
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

  test('leaves the places of verifications free, however many exports it has', async () => {
    for (let index = 0; index < 8; index += 1) expect(await open()).toBe(200);
    handler = () => Promise.resolve({ content: endless(), streamLimit: 'verifications' });
    for (let index = 0; index < 4; index += 1) expect(await open()).toBe(200);
    expect(sourcesOpen).toBe(12);
  });
});
