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
import { AddressPolicy } from '@waymark/kernel/http/address-policy';
import { createHttpClient, type HttpClient } from '@waymark/webhook/http/http-client';
import { postMessage } from '@waymark/webhook/http/post-message';
import { makeCertificate } from './certificate.js';

const policy = new AddressPolicy(['127.0.0.0/8', '::1/128']);
let client: HttpClient | undefined;
let folder: string;
const servers: Server[] = [];
const clientSockets: Socket[] = [];
const onClientSocket = (message: unknown) => clientSockets.push((message as { socket: Socket }).socket);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-tls-'));
  subscribe('net.client.socket', onClientSocket);
});
afterAll(() => {
  unsubscribe('net.client.socket', onClientSocket);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  clientSockets.length = 0;
});
afterEach(async () => {
  jest.restoreAllMocks();
  await client?.close();
  client = undefined;
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server, address = '127.0.0.1'): Promise<number> {
  servers.push(server);
  await once(server.listen(0, address), 'listening');
  return (server.address() as AddressInfo).port;
}

const newClient = (proxyUrl?: string): HttpClient =>
  createHttpClient({ policy, nameServers: ['127.0.0.1:9'], proxyUrl, timeoutMs: 10_000 });

/** The first message makes the client, since a TLS context trusts the certificates of that time. */
function post(url: string) {
  client ??= newClient();
  return postMessage(client, { url, secrets: ['whsec_AAAA'], id: 'evt_1', body: '{}' });
}

/** Answers each request. */
const answer = (socket: Socket) =>
  void socket.on('error', () => undefined).on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));

/** A certificate that this process trusts. */
function trusted(altNames = 'DNS:localhost,DNS:hooks.localhost.example'): TlsOptions {
  const { key, cert } = makeCertificate(folder, { name: 'localhost', altNames });
  setDefaultCACertificates([...getCACertificates('default'), cert.toString()]);
  return { key, cert };
}

describe('a receiver with TLS', () => {
  test('gets its messages over kept connections', async () => {
    const url = `https://localhost:${await listen(createTlsServer(trusted(), answer))}/`;
    for (let i = 0; i < 10; i += 1) expect(await post(url)).toMatchObject({ statusCode: 204, failure: null });
    expect(clientSockets.length).toBeLessThan(10);
  });

  test('gets its messages over connections that share one TLS context, since each takes much memory', async () => {
    const url = `https://localhost:${await listen(createTlsServer(trusted(), answer))}/`;
    const createContext = jest.spyOn(tls, 'createSecureContext');
    const outcomes = await Promise.all([post(url), post(url), post(url)]);
    expect(outcomes).toMatchObject(Array(3).fill({ statusCode: 204 }));
    expect([clientSockets.length, createContext.mock.calls.length]).toEqual([3, 1]);
  });

  test('is reached at port 443 if the url names none', async () => {
    await post('https://localhost/');
    expect(clientSockets[0]!.autoSelectFamilyAttemptedAddresses).toContain('127.0.0.1:443');
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
    client = newClient(`http://127.0.0.1:${await listen(proxy)}`);
    return requests;
  }

  test('gets messages over TLS', async () => {
    const requests = await useProxy(await listen(createTlsServer(trusted(), answer)));
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
      const receiver = createTlsServer(trusted('DNS:hooks.localhost.example'), answer);
      const proxy = createHttpsServer(trusted(names));
      const requests = tunnelTo(await listen(receiver), proxy);
      client = newClient(`https://${host}:${await listen(proxy, address)}`);
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
      const requests = tunnelTo(await listen(createTlsServer(certificate, answer)), proxy);
      client = newClient(`https://${host}:${await listen(proxy)}`);
      const message = 'The proxy of this installation could not be reached.';
      expect(await post('https://hooks.localhost.example/')).toMatchObject({
        failure: { type: 'connection', message },
      });
      expect(requests).toEqual([]);
    },
  );

  test('is not reached if the proxy is not', async () => {
    const port = await listen(createServer());
    client = newClient(`http://127.0.0.1:${port}`);
    await new Promise((resolve) => servers.pop()!.close(resolve));
    const message = 'The proxy of this installation could not be reached.';
    expect(await post('https://hooks.example.com/')).toMatchObject({ failure: { type: 'connection', message } });
  });
});
