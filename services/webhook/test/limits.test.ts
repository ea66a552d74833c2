import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import tls, {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';
import type { Dispatcher } from 'undici';
import { waitFor } from '@waymark/testing/wait-for';
import { AddressPolicy } from '@waymark/webhook/http/address-policy';
import { createGuardedAgent } from '@waymark/webhook/http/guarded-agent';
import { postMessage } from '@waymark/webhook/http/post-message';
import { createProxyAgent } from '@waymark/webhook/http/proxy-agent';
import { createResolver } from '@waymark/webhook/http/resolver';
import { makeCertificate } from './certificate.js';
import { costlyChain } from './costly-chain.js';

const KILOBYTE = 1024;
/** The limit, and what one read of a socket may add. */
const READ_MAX = (256 + 64) * KILOBYTE;
const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

const policy = new AddressPolicy(['127.0.0.0/8', '::1/128']);
let agent: Dispatcher;
let folder: string;
const servers: Server[] = [];
const clientSockets: Socket[] = [];
const onClientSocket = (message: unknown) => clientSockets.push((message as { socket: Socket }).socket);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-limits-'));
  subscribe('net.client.socket', onClientSocket);
});
afterAll(() => {
  unsubscribe('net.client.socket', onClientSocket);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  clientSockets.length = 0;
  agent = createGuardedAgent(policy, createResolver(['127.0.0.1:9']));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await agent.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server, address = '127.0.0.1'): Promise<number> {
  servers.push(server);
  await once(server.listen(0, address), 'listening');
  return (server.address() as AddressInfo).port;
}

const post = (url: string) =>
  postMessage({ agent, policy, timeoutMs: 10_000 }, { url, secrets: ['whsec_AAAA'], id: 'evt_1', body: '{}' });

/** Answers each request with this start, and then sends this text for ever. */
const flooding = (start: string, repeated: string) => (socket: Socket) => {
  const block = repeated.repeat(16 * KILOBYTE);
  const writeMore = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('error', () => undefined).on('drain', writeMore);
  socket.on('data', () => {
    socket.write(start);
    if (repeated) writeMore();
  });
};

describe('a receiver that sends', () => {
  const refused = (message: string) => ({ statusCode: null, failure: { type: 'connection', message } });
  const tooLarge = refused('The endpoint sent more than 256 KiB before its answer.');
  const accepted = { statusCode: 200, failure: null };

  test.each<[string, string, string, object]>([
    ['line ends', '', '\r\n', tooLarge],
    ['a reason phrase', 'HTTP/1.1 200 ', 'x', tooLarge],
    ['spaces before the value of a header', 'HTTP/1.1 200 OK\r\nx:', ' ', tooLarge],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n', refused('The connection failed (UND_ERR_HEADERS_OVERFLOW).')],
    [
      'interim responses',
      '',
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      refused('The endpoint sent too many interim answers (1xx).'),
    ],
    ['a chunk extension', `${CHUNKED}1;`, 'x', accepted],
    ['extensions of a chunk', `${CHUNKED}1`, ';x', accepted],
    ['trailers', `${CHUNKED}0\r\n`, 'x: y\r\n', accepted],
    ['spaces before the value of a trailer', `${CHUNKED}0\r\nx:`, ' ', accepted],
  ])('%s without end is read for 256 KiB at most', async (_, start, repeated, expected) => {
    const port = await listen(createServer(flooding(start, repeated)));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject(expected);
    await waitFor('the end of the connection', () => clientSockets[0]!.destroyed);
    expect(clientSockets[0]!.bytesRead).toBeLessThanOrEqual(READ_MAX);
  });
});

/** A certificate that this process trusts. */
function trusted(altNames = 'DNS:localhost,DNS:hooks.localhost.example'): TlsOptions {
  const { key, cert } = makeCertificate(folder, { name: 'localhost', altNames });
  setDefaultCACertificates([...getCACertificates('default'), cert.toString()]);
  return { key, cert };
}

describe('a receiver with TLS', () => {
  test('gets its messages over kept connections', async () => {
    const url = `https://localhost:${await listen(createTlsServer(trusted(), flooding(NO_CONTENT, '')))}/`;
    for (let i = 0; i < 10; i += 1) expect(await post(url)).toMatchObject({ statusCode: 204, failure: null });
    expect(clientSockets.length).toBeLessThan(10);
  });

  test('gets its messages over connections that share one TLS context, since each takes much memory', async () => {
    const url = `https://localhost:${await listen(createTlsServer(trusted(), flooding(NO_CONTENT, '')))}/`;
    const createContext = jest.spyOn(tls, 'createSecureContext');
    agent = createGuardedAgent(policy, createResolver(['127.0.0.1:9']), false);
    for (let i = 0; i < 3; i += 1) expect(await post(url)).toMatchObject({ statusCode: 204 });
    expect([clientSockets.length, createContext.mock.calls.length]).toEqual([3, 1]);
  });

  test('is reached at port 443 if the url names none', async () => {
    await post('https://localhost/');
    expect(clientSockets[0]!.autoSelectFamilyAttemptedAddresses).toContain('127.0.0.1:443');
  });

  test('that sends line ends without end is read for 256 KiB at most', async () => {
    const url = `https://localhost:${await listen(createTlsServer(trusted(), flooding('', '\r\n')))}/`;
    const message = 'The endpoint sent more than 256 KiB before its answer.';
    expect(await post(url)).toMatchObject({ failure: { type: 'connection', message } });
    await waitFor('the end of the connection', () => clientSockets[0]!.destroyed);
    expect(clientSockets[0]!.bytesRead).toBeLessThanOrEqual(READ_MAX + 16 * KILOBYTE);
  });

  test('that demands a second handshake in a connection gets none', async () => {
    const results: unknown[] = [];
    const server = createTlsServer({ ...trusted(), maxVersion: 'TLSv1.2' }, (socket) => {
      const end = (result: unknown) => {
        results.push(result);
        socket.destroy();
      };
      socket.on('error', (error) => end((error as NodeJS.ErrnoException).code));
      socket.once('data', () => void socket.renegotiate({}, () => end('a second handshake')));
    });
    expect(await post(`https://localhost:${await listen(server)}/`)).toMatchObject({ statusCode: null });
    expect(results).toEqual(['ERR_SSL_NO_RENEGOTIATION']);
  });

  test('that sends more than 16 KiB of certificates gets no handshake', async () => {
    const port = await listen(createTlsServer(costlyChain(60)));
    const message = 'The endpoint sent more than 16 KiB of certificates.';
    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ failure: { type: 'tls', message } });
  });

  test('gets no other handshake soon after one that failed and took much CPU time', async () => {
    const server = createTlsServer(costlyChain(35)).on('tlsClientError', () => undefined);
    const url = `https://127.0.0.1:${await listen(server)}/`;
    // All are connected before the first fails.
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => post(url)));
    const messages = outcomes.map(({ failure }) => failure?.message).toSorted();
    const paused = 'Not tried: the certificates of the endpoint took too long to check just now.';
    expect(messages).toEqual([...Array(9).fill(paused), expect.stringMatching(/^The secure connection failed/)]);
    const connections = clientSockets.length;
    expect(await post(url)).toMatchObject({ failure: { type: 'tls', message: paused } });
    expect(clientSockets).toHaveLength(connections);
  });
});

describe('a receiver behind a proxy', () => {
  /** Opens every tunnel to this port, ignoring the requested host. @returns the requests for tunnels */
  function tunnelTo(port: number, proxy: Server): IncomingMessage[] {
    const requests: IncomingMessage[] = [];
    proxy.on('connect', (request: IncomingMessage, client: Socket) => {
      requests.push(request);
      const server = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(server).pipe(client);
      });
      server.on('error', () => client.destroy());
      client.on('error', () => server.destroy());
    });
    return requests;
  }

  async function useProxy(port: number): Promise<IncomingMessage[]> {
    const proxy = createHttpServer();
    const requests = tunnelTo(port, proxy);
    agent = createProxyAgent(`http://127.0.0.1:${await listen(proxy)}`);
    return requests;
  }

  test('gets messages over TLS', async () => {
    const requests = await useProxy(await listen(createTlsServer(trusted(), flooding(NO_CONTENT, ''))));
    expect(await post('https://hooks.localhost.example/')).toMatchObject({ statusCode: 204, failure: null });
    expect(requests.map(({ url }) => url)).toEqual(['hooks.localhost.example:443']);
  });

  const addresses = Object.values(networkInterfaces()).flatMap((list) => list!.map(({ address }) => address));
  const proxies: [string, string, string, string | false][] = [
    ['localhost', 'DNS:localhost', '127.0.0.1', 'localhost'],
    ['127.0.0.1', 'IP:127.0.0.1', '127.0.0.1', false],
    ['[::1]', 'IP:::1', '::1', false],
  ];
  // Containers often have no IPv6.
  test.each(proxies.filter(([, , address]) => addresses.includes(address)))(
    'gets messages through a proxy with TLS at %s',
    async (host, names, address, serverName) => {
      const receiver = createTlsServer(trusted('DNS:hooks.localhost.example'), flooding(NO_CONTENT, ''));
      const proxy = createHttpsServer(trusted(names));
      const requests = tunnelTo(await listen(receiver), proxy);
      agent = createProxyAgent(`https://${host}:${await listen(proxy, address)}`);
      expect(await post('https://hooks.localhost.example/')).toMatchObject({ statusCode: 204, failure: null });
      expect(requests.map(({ url }) => url)).toEqual(['hooks.localhost.example:443']);
      expect((requests[0]!.socket as TLSSocket).servername).toBe(serverName);
    },
  );

  test.each(['localhost', '127.0.0.1'])(
    'gets nothing through a proxy at %s whose certificate is for the receiver',
    async (host) => {
      const certificate = trusted('DNS:hooks.localhost.example');
      const proxy = createHttpsServer(certificate);
      const requests = tunnelTo(await listen(createTlsServer(certificate, flooding(NO_CONTENT, ''))), proxy);
      agent = createProxyAgent(`https://${host}:${await listen(proxy)}`);
      const message = 'The proxy of this installation could not be reached.';
      expect(await post('https://hooks.localhost.example/')).toMatchObject({
        failure: { type: 'connection', message },
      });
      expect(requests).toEqual([]);
    },
  );

  test('that sends line ends without end is read for 256 KiB at most', async () => {
    await useProxy(await listen(createServer(flooding('', '\r\n'))));
    const message = 'The endpoint sent more than 256 KiB before its answer.';
    expect(await post('http://hooks.example.com/')).toMatchObject({ failure: { type: 'connection', message } });
  });

  test('that sends more than 16 KiB of certificates gets no handshake', async () => {
    await useProxy(await listen(createTlsServer(costlyChain(60))));
    const message = 'The endpoint sent more than 16 KiB of certificates.';
    expect(await post('https://hooks.example.com/')).toMatchObject({ failure: { type: 'tls', message } });
  });

  test('is not reached if the proxy is not', async () => {
    const port = await listen(createServer());
    agent = createProxyAgent(`http://127.0.0.1:${port}`);
    await new Promise((resolve) => servers.pop()!.close(resolve));
    const message = 'The proxy of this installation could not be reached.';
    expect(await post('https://hooks.example.com/')).toMatchObject({ failure: { type: 'connection', message } });
  });
});
