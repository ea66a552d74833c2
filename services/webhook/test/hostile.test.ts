import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { NameServer } from '@waymark/testing/name-server';
import { makeCertificate } from './certificate.js';
import { answering, Receiver, slowly, type Behaviour } from './receiver.js';
import { linkEvent, Stack } from './stack.js';

let stack: Stack;
let receiver: Receiver;
let canary: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  canary = await Receiver.start();
  stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '600' });
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
  canary.stop();
});

const closingInTheMiddle =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-length': '1000' }).write('the beginning');
    setTimeout(() => response.destroy(), 50);
  };
const dripping: Behaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 50);
  response.on('close', () => clearInterval(timer));
};
const endless: Behaviour = (response) => {
  response.writeHead(200);
  const chunk = Buffer.alloc(65_536);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};
const redirecting =
  (status: number): Behaviour =>
  (response) =>
    void response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/` }).end();
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
const gzipBomb =
  (status: number): Behaviour =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb);
const notFollowed = (status: number) => `The endpoint answered ${status}; redirects are not followed.`;

type Row = { status: string; status_code: number | null; type?: string; message?: string };

test.each<[string, Behaviour, Row]>([
  ['answers 200', answering(200), { status: 'succeeded', status_code: 200 }],
  ['answers 204', answering(204), { status: 'succeeded', status_code: 204 }],
  ['is slow', slowly(400), { status: 'succeeded', status_code: 200 }],
  ['never answers', () => undefined, { status: 'failed', status_code: null, type: 'timeout' }],
  [
    'resets',
    (response) => void response.socket?.resetAndDestroy(),
    { status: 'failed', status_code: null, type: 'connection' },
  ],
  [
    'talks no HTTP',
    (response) => void response.socket?.end('hello\r\n'),
    { status: 'failed', status_code: null, type: 'connection', message: 'The answer was not HTTP.' },
  ],
  ['closes in the middle of a 200', closingInTheMiddle(200), { status: 'succeeded', status_code: 200 }],
  [
    'closes in the middle of a 500',
    closingInTheMiddle(500),
    { status: 'failed', status_code: 500, type: 'http_error' },
  ],
  ['has an endless body', endless, { status: 'succeeded', status_code: 200 }],
  ['drips its body', dripping, { status: 'succeeded', status_code: 200 }],
  [
    'redirects with 301',
    redirecting(301),
    { status: 'failed', status_code: 301, type: 'http_error', message: notFollowed(301) },
  ],
  [
    'redirects with 308',
    redirecting(308),
    { status: 'failed', status_code: 308, type: 'http_error', message: notFollowed(308) },
  ],
  ['answers with a gzip bomb', gzipBomb(200), { status: 'succeeded', status_code: 200 }],
  [
    'refuses with a gzip bomb',
    gzipBomb(400),
    { status: 'failed', status_code: 400, message: 'The endpoint answered 400.' },
  ],
  ['answers 404', answering(404), { status: 'failed', status_code: 404, type: 'http_error' }],
  ['answers 500', answering(500), { status: 'failed', status_code: 500, type: 'http_error' }],
])('a receiver that %s has its row', async (what, behaviour, expected) => {
  const workspace = what.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const { id } = await stack.subscribe(receiver.at(`/${workspace}`, behaviour), workspace);
  const event = linkEvent(workspace);
  await stack.publish(event);
  const row = await stack.firstEnded(id, workspace);
  expect(row).toMatchObject({
    event_id: event.id,
    attempt_number: 1,
    status: expected.status,
    status_code: expected.status_code,
    attempted_at: expect.stringMatching(/Z$/),
  });
  expect(row.error === null).toBe(expected.status === 'succeeded');
  if (expected.type) expect(row.error.type).toBe(expected.type);
  if (expected.message) expect(row.error.message).toBe(expected.message);
  expect(row.next_retry_at === null).toBe(expected.status === 'succeeded');
  expect(canary.connections).toBe(0);
});

test('a refusal is shown in the words of the receiver, without what it should not have said', async () => {
  const secrets: string[] = [];
  const telling = receiver.at('/telling', (response) => {
    const headers = receiver.on('/telling')[0]!.headers;
    const text = `Order unknown. secret=${secrets[0]} got ${String(headers['webhook-signature'])} Authorization: Bearer abc`;
    response.writeHead(422, { 'content-type': 'text/plain' }).end(text);
  });
  const { id, secret } = await stack.subscribe(telling, 'telling');
  secrets.push(secret);
  await stack.publish(linkEvent('telling'));
  const { error } = await stack.firstEnded(id, 'telling');
  expect(error.message).toMatch(/^The endpoint answered 422: Order unknown\. secret \[redacted\]$/);
  const stored = JSON.stringify(await stack.database.collection('attempts').find({ workspace: 'telling' }).toArray());
  const signature = String(receiver.on('/telling')[0]!.headers['webhook-signature']).replace('v1,', '');
  for (const leak of [secret.replace('whsec_', ''), signature, 'Bearer abc']) expect(stored).not.toContain(leak);
});

describe('a receiver whose certificate', () => {
  let folder: string;
  const servers: Server[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-tls-'));
  });
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(name: string, days: string): Promise<number> {
    const certificate = makeCertificate(folder, { name, altNames: `DNS:${name}`, days });
    const server = createHttpsServer(certificate, (_, response) => response.end());
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  test('a receiver that demands Diffie-Hellman over a finite field gets no handshake', async () => {
    const [key, cert] = [join(folder, 'dhe.key'), join(folder, 'dhe.crt')];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=dhe.example'];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const files = { key: readFileSync(key), cert: readFileSync(cert) };
    const exchange = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' } as const;
    const server = createHttpsServer({ ...files, ...exchange }, (_, response) => response.end());
    servers.push(server);
    const refused = once(server, 'tlsClientError');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { id } = await stack.subscribe(`https://127.0.0.1:${port}/`, 'dhe');
    await stack.publish(linkEvent('dhe'));
    expect(await refused).toMatchObject([{ code: 'ERR_SSL_NO_SHARED_CIPHER' }, {}]);
    expect(await stack.firstEnded(id, 'dhe')).toMatchObject({ status_code: null, error: { type: 'tls' } });
  });

  test.each(['self-signed', 'other'])('is %s gets nothing', async (name) => {
    const port = await serve(`${name}.example`, '1');
    const workspace = `tls-${name}`;
    const { id } = await stack.subscribe(`https://127.0.0.1:${port}/`, workspace);
    await stack.publish(linkEvent(workspace));
    const row = await stack.firstEnded(id, workspace);
    expect(row).toMatchObject({ status: 'failed', status_code: null, error: { type: 'tls' } });
  });
});

test('a name that leads to a private address gets no connection', async () => {
  const names = await NameServer.start();
  const strict = await Stack.start({ WEBHOOK_ALLOWED_NETWORKS: '', WEBHOOK_DNS_SERVERS: names.address });
  names.answer(['127.0.0.1']);
  const { id } = await strict.subscribe(`http://rebound.example.com:${canary.port}/`, 'rebound');
  await strict.publish(linkEvent('rebound'));
  const row = await strict.firstEnded(id, 'rebound');
  expect(row).toMatchObject({ status_code: null, error: { type: 'dns' } });
  expect(canary.connections).toBe(0);
  await strict.stop();
  await names.stop();
});
