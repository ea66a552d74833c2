import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { AddressPolicy } from '@waymark/kernel/http/address-policy';
import { createHttpClient } from '@waymark/webhook/http/http-client';
import { postMessage, type Outcome } from '@waymark/webhook/http/post-message';
import { waitFor } from '@waymark/testing/wait-for';
import { NameServer } from '@waymark/testing/name-server';
import { Receiver } from './receiver.js';

let receiver: Receiver;
let names: NameServer;

beforeAll(async () => {
  receiver = await Receiver.start();
  names = await NameServer.start();
});
afterAll(async () => {
  receiver.stop();
  await names.stop();
});

const messageTo = (url: string) => ({ url, secrets: ['whsec_AAAA'], id: 'evt_1', body: '{}' });

const newClient = (policy: AddressPolicy, timeoutMs: number, proxyUrl?: string) =>
  createHttpClient({ policy, nameServers: [names.address], timeoutMs, proxyUrl });

async function send(url: string, allowedNetworks: string[] = [], timeoutMs = 2000): Promise<Outcome> {
  const client = newClient(new AddressPolicy(allowedNetworks), timeoutMs);
  try {
    return await postMessage(client, messageTo(url));
  } finally {
    await client.close();
  }
}

describe('the address policy', () => {
  const policy = new AddressPolicy([]);

  test.each([
    ['0.0.0.0', '0.1.2.3', '0.255.255.255', '10.0.0.0', '10.0.0.1', '10.255.255.255'],
    ['100.64.0.0', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.0.0.2', '127.255.255.254'],
    ['169.254.0.0', '169.254.169.254', '169.254.255.255', '172.16.0.0', '172.16.0.1', '172.31.255.255'],
    [
      '192.0.0.0',
      '192.0.0.1',
      '192.0.0.255',
      '192.0.2.1',
      '192.0.2.255',
      '192.88.99.1',
      '192.168.0.0',
      '192.168.255.255',
    ],
    ['198.18.0.0', '198.18.0.1', '198.19.255.255', '198.51.100.1', '198.51.100.255', '203.0.113.1', '203.0.113.255'],
    ['224.0.0.0', '224.0.0.1', '239.255.255.255', '240.0.0.0', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
    [
      '::',
      '::1',
      '::7f00:1',
      '::8.8.8.8',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:a9fe:a9fe',
      '::ffff:0:7f00:1',
    ],
    ['64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', '64:ff9b:1:ffff::1', '100::', '100::1'],
    ['2001::1', '2001:0:7f00:1::', '2001:1ff:ffff::1', '2001:db8::1', '2001:db8:ffff::1', '2002::1', '2002:7f00:1::1'],
    ['3fff::1', '3fff:fff:ffff::1', '5f00::1', '5f00:ffff::1', 'fc00::1', 'fd00:ec2::254', 'fdff:ffff::1'],
    ['fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'feff::1', 'ff00::', 'ff02::1', 'ffff::1'],
    [
      '168.63.129.16',
      '::ffff:168.63.129.16',
      '192.31.196.1',
      '192.52.193.1',
      '192.175.48.1',
      '100:0:0:1::',
      '100:0:0:1::1',
    ],
    ['4000::1', '5000::1', '8000::1', 'c000::1', 'e000::1', 'f000::1', 'fb00::1', '1fff:ffff::1', '1::1', '200::1'],
    ['2001:10::1', '2001:20::1', '2001:2::1', '2001:3::1', '2001:4:112::1', '2620:4f:8000::1', '3ffe::1'],
    ['2002:a00:1::1', '2002:c0a8:1::', '2001:0:a00:1::1', '64:ff9b::10.0.0.1', '::10.0.0.1', '::ffff:0:10.0.0.1'],
    ['fe80::1%1', '::1%lo', '2606:4700::1111%eth0', '[::1]', '0:0:0:0:0:0:0:1', '0000::0001', '::ffff:7F00:0001'],
    ['127.1', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '010.0.0.1', '127.0.0.1.', '10.0.0.1/8', ' 10.0.0.1'],
    ['no address', '', '127.0.0.1:80', '1.2.3', '999.1.1.1'],
  ])('refuses what is not global: %s …', (...addresses) => {
    expect(addresses.filter((address) => policy.allowsAddress(address))).toEqual([]);
  });

  test('allows global addresses and allowed networks, nothing beside them', () => {
    const global = ['8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'];
    expect(global.filter((address) => !policy.allowsAddress(address))).toEqual([]);
    const office = new AddressPolicy(['10.1.0.0/16', 'fd00:1::/32']);
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5'].every((address) => office.allowsAddress(address))).toBe(true);
    expect(['10.2.0.1', '127.0.0.1', 'fd00:2::5'].some((address) => office.allowsAddress(address))).toBe(false);
  });

  test('refuses denied networks, also where they are public or within an allowed one', () => {
    const own = new AddressPolicy(['10.1.0.0/16'], ['93.184.216.0/24', '2606:4700::/32', '10.1.2.0/24']);
    const refused = ['93.184.216.34', '::ffff:93.184.216.34', '2606:4700::1111', '10.1.2.3'];
    expect(refused.filter((address) => own.allowsAddress(address))).toEqual([]);
    expect(['93.184.217.34', '2606:4701::1', '10.1.3.3'].every((address) => own.allowsAddress(address))).toBe(true);
  });
});

describe('a refused address', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '0',
    '0.0.0.0',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
  ])('written as %s gets no connection', async (host) => {
    const before = receiver.connections;
    expect(await send(`http://${host}:${receiver.port}/`)).toMatchObject({ failure: { type: 'blocked' } });
    expect(receiver.connections).toBe(before);
  });

  test.each([
    ['the only answer', [['127.0.0.1']]],
    ['one of several answers', [['93.184.216.34', '127.0.0.1']]],
    ['the IPv6 answer beside a global IPv4 one', [['93.184.216.34', '::1']]],
    ['the only IPv6 answer', [['::ffff:127.0.0.1']]],
    ['the address of an alias', [['internal.example.net', '127.0.0.1']]],
  ])('as %s of a name gets no connection', async (_what, answers) => {
    names.answer(...answers);
    const before = receiver.connections;
    const outcome = await send(`http://hooks.example.com:${receiver.port}/`);
    expect(outcome.failure).toEqual({ type: 'dns', message: 'The name of the endpoint has no public address.' });
    expect(receiver.connections).toBe(before);
  });

  test.each(['NXDOMAIN', 'SERVFAIL', 'REFUSED'] as const)('is not told from a name that is %s', async (manner) => {
    names.answer(['10.0.0.5']);
    const refused = await send('http://intranet.example.com/');
    names.manner = manner;
    const unknown = await send('http://intranet.example.com/');
    names.manner = 'truthful';
    expect(unknown.failure).toEqual(refused.failure);
  });

  test('among more than a hundred is not looked for: the name is refused', async () => {
    names.answer(Array.from({ length: 101 }, (_, i) => `93.184.216.${i}`));
    expect((await send('http://hooks.example.com/')).failure?.type).toBe('dns');
  });

  test('that a name turns to after it was checked gets no connection', async () => {
    names.answer(['127.0.0.2'], ['127.0.0.1']);
    const before = receiver.connections;
    // Only the first answer is allowed: the connection must go to it, although the name resolves differently by now.
    const first = await send(`http://hooks.example.com:${receiver.port}/`, ['127.0.0.2/32']);
    expect(first.failure?.type).toBe('connection');
    expect(names.questions).toBe(1);
    const second = await send(`http://hooks.example.com:${receiver.port}/`, ['127.0.0.2/32']);
    expect(second.failure?.type).toBe('dns');
    expect(receiver.connections).toBe(before);
  });

  test('that a receiver redirects to gets no connection', async () => {
    const canary = await Receiver.start();
    const moved = receiver.at('/moved', (response) => {
      response.writeHead(307, { location: `http://127.0.0.2:${canary.port}/` }).end();
    });
    expect(await send(moved, ['127.0.0.1/32'])).toMatchObject({ statusCode: 307, failure: { type: 'http_error' } });
    expect(canary.connections).toBe(0);
    canary.stop();
  });
});

test('an allowed address behind a name gets the delivery', async () => {
  names.answer(['127.0.0.1']);
  const url = receiver.at('/named').replace('127.0.0.1', 'hooks.example.com');
  expect(await send(url, ['127.0.0.0/8'])).toMatchObject({ statusCode: 200, failure: null });
  expect(receiver.on('/named')[0]!.headers.host).toBe(`hooks.example.com:${receiver.port}`);
});

describe('a hostile receiver', () => {
  const dripping = (status: number) => (response: ServerResponse) => {
    response.writeHead(status);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };

  test('that drips its answer for ever is done with after a second, and its status counts', async () => {
    const outcome = await send(receiver.at('/drip', dripping(200)), ['127.0.0.0/8'], 30_000);
    expect(outcome).toMatchObject({ statusCode: 200, failure: null });
    expect(outcome.durationMs).toBeLessThan(30_000);
  });

  test('that sends a gigabyte is cut off after a few kilobytes', async () => {
    let sentBytes = 0;
    const endless = receiver.at('/endless', (response) => {
      response.writeHead(500, { 'content-length': String(2 ** 30) });
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
      };
      response.on('drain', more);
      more();
    });
    expect(await send(endless, ['127.0.0.0/8'])).toMatchObject({ statusCode: 500, failure: { type: 'http_error' } });
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
  });

  test('that sends headers without end is a failed attempt', async () => {
    const large = receiver.at('/headers', (response) => {
      response.writeHead(200, { 'x-large': 'x'.repeat(100_000) }).end();
    });
    expect(await send(large, ['127.0.0.0/8'])).toMatchObject({ failure: { type: 'connection' } });
  });

  test('that sends interim responses first counts by what it says in the end', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10);
      socket.once('data', () => socket.write(`${interim}HTTP/1.1 204 No Content\r\n\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await send(url, ['127.0.0.0/8'])).toMatchObject({ statusCode: 204, failure: null });
    server.close();
  });

  test('that never finishes its headers runs into the time limit', async () => {
    const silent = receiver.at('/silent', (response) => {
      const timer = setInterval(() => response.socket?.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const outcome = await send(silent, ['127.0.0.0/8'], 300);
    expect(outcome.failure?.type).toBe('timeout');
    expect(outcome.durationMs).toBeLessThan(10_000);
  });

  test('that never speaks TLS runs into the time limit, and its connection is closed', async () => {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => sockets.delete(socket))
        .resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const outcome = await send(url, ['127.0.0.0/8'], 300);
    expect(outcome.failure?.type).toBe('timeout');
    await waitFor('the end of the connection', () => sockets.size === 0);
    server.close();
  });

  test('that says first that it is at it counts by what it says in the end', async () => {
    const busy = receiver.at('/busy', (response) => {
      response.writeProcessing();
      response.writeHead(204).end();
    });
    expect(await send(busy, ['127.0.0.0/8'])).toMatchObject({ failure: null, statusCode: 204 });
  });
});

/** The first bytes of a TLS connection contain the protocols that the client offers (ALPN). */
const isHttp2Offered = (hello: Buffer) => hello.includes('\x02h2');

test('a receiver with TLS is offered HTTP/1.1 alone', async () => {
  const hellos: Buffer[] = [];
  const server = createTcpServer((socket) =>
    socket.on('error', () => undefined).once('data', (hello) => (hellos.push(hello), socket.destroy())),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await send(`https://127.0.0.1:${port}/`, ['127.0.0.0/8'])).toMatchObject({ statusCode: null });
  expect(hellos.map(isHttp2Offered)).toEqual([false]);
  server.close();
});

describe('with a proxy', () => {
  const clientThrough = (proxy: Server) =>
    newClient(new AddressPolicy([]), 5000, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);

  test('a receiver with TLS is offered HTTP/1.1 alone', async () => {
    const hellos: Buffer[] = [];
    const proxy = createServer();
    proxy.on('connect', (_request, client: Socket) => {
      client.on('error', () => undefined).once('data', (hello) => (hellos.push(hello), client.destroy()));
      client.write('HTTP/1.1 200 OK\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const client = clientThrough(proxy);
    await postMessage(client, messageTo('https://hooks.example.com/'));
    expect(hellos.map(isHttp2Offered)).toEqual([false]);
    await client.close();
    proxy.close();
    proxy.closeAllConnections();
  });

  test('connections are made by the proxy, and an address in the url is still refused here', async () => {
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url!);
      response.writeHead(502).end();
    });
    proxy.on('connect', (request, client: Socket) => {
      asked.push(request.url!);
      const server = connect(receiver.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(server).pipe(client);
      });
      server.on('error', () => client.destroy());
      client.on('error', () => server.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const client = clientThrough(proxy);
    const through = (url: string) => postMessage(client, messageTo(url));
    receiver.at('/proxied');
    names.answer(['127.0.0.1']);

    expect(await through('http://hooks.example.com:8080/proxied')).toMatchObject({ statusCode: 200, failure: null });
    expect(asked).toEqual(['hooks.example.com:8080']);
    expect(names.questions).toBe(0);
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '169.254.169.254']) {
      expect(await through(`http://${host}:8080/proxied`)).toMatchObject({ failure: { type: 'blocked' } });
    }
    expect(asked).toHaveLength(1);
    await client.close();
    proxy.close();
    proxy.closeAllConnections();
  });

  test.each([
    [403, 'blocked'],
    [502, 'connection'],
  ])('that answers %i the failure names the proxy, not the receiver', async (statusCode, type) => {
    const proxy = createServer();
    proxy.on('connect', (_request, client: Socket) => client.end(`HTTP/1.1 ${statusCode} No\r\n\r\n`));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const client = clientThrough(proxy);
    const failure = { type, message: expect.stringMatching(new RegExp(`proxy.*${statusCode}`)) };
    const outcome = await postMessage(client, messageTo('http://hooks.example.com/'));
    expect(outcome).toMatchObject({ statusCode: null, failure });
    await client.close();
    proxy.close();
    proxy.closeAllConnections();
  });
});

describe('a connection that was kept open', () => {
  type Ending = (socket: Socket) => void;
  const policy = new AddressPolicy(['127.0.0.0/8']);

  /** Answers the first request of each connection, and ends the connection in this way at the next one. */
  async function postUntilEnded(end: Ending, timeoutMs = 5000, then: Ending = answer) {
    let ended = 0;
    const server = createTcpServer((socket) => {
      const respond = ended === 0 ? answer : then;
      let isKept = false;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        if (isKept) ended += 1;
        (isKept ? end : respond)(socket);
        isKept = true;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const client = newClient(policy, timeoutMs);
    const outcomes: Outcome[] = [];
    while (ended === 0 && outcomes.length < 100) outcomes.push(await postMessage(client, messageTo(url)));
    await client.close();
    server.close();
    return { ended, last: outcomes.at(-1)!, failed: outcomes.filter(({ failure }) => failure !== null).length };
  }

  const answer: Ending = (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n');

  test.each<[string, Ending]>([
    ['closed', (socket) => void socket.end()],
    ['reset', (socket) => void socket.resetAndDestroy()],
  ])('and is %s when it is used again costs no attempt', async (_, end) => {
    const { ended, last, failed } = await postUntilEnded(end);
    expect([ended, failed, last.statusCode]).toEqual([1, 0, 204]);
  });

  test('and is closed when it is used again leaves the next one no more than the time of the attempt', async () => {
    const closeSlowly: Ending = (socket) => void setTimeout(() => socket.end(), 4000);
    const { ended, last } = await postUntilEnded(closeSlowly, 6000, () => undefined);
    expect([ended, last.failure?.type]).toEqual([1, 'timeout']);
    // A second full time limit of 6 s after the 4 s would take longer.
    expect(last.durationMs).toBeLessThan(10_000);
  });

  test.each<[string, Ending]>([
    ['reset', (socket) => void socket.resetAndDestroy()],
    ['closed after it said that it is at it', (socket) => void socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['closed within its answer', (socket) => void socket.end('HTTP/1.1 20')],
  ])('but a new one that is %s is a failed attempt, made once', async (_, end) => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.once('data', () => end(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = newClient(policy, 5000);
    const outcome = await postMessage(client, messageTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    expect(outcome).toMatchObject({ statusCode: null, failure: { type: 'connection' } });
    expect(connections).toBe(1);
    await client.close();
    server.close();
  });
});
