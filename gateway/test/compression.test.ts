import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { secretKey } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';

/** A public route: the gateway compresses the response of the service behind it. */
const PATH = '/api/v1/session';
const LARGE = JSON.stringify({ data: Array.from({ length: 200 }, (_, index) => ({ id: `lnk_${index}` })) });
const TAG = '"tag.part"';

let upstream: Server;
let gateway: Server;
let lifecycle: Lifecycle;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  upstream = createServer((incoming, response) => void incoming.resume().once('end', () => answer(response)));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const services = ['AUTH', 'RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'];
  const parts = testProcess(gatewayConfig, {
    IDENTITY_SECRET: secretKey(),
    ...Object.fromEntries(services.map((service) => [`${service}_URL`, urlOf(upstream)])),
  });
  lifecycle = parts.lifecycle;
  gateway = await startGateway(parts);
});
afterAll(async () => {
  await lifecycle.stop();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

const json = (text: string, headers: Record<string, string> = {}) => {
  answer = (response) => {
    const length = String(Buffer.byteLength(text));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, etag: TAG, ...headers });
    response.end(text);
  };
};

async function open(acceptEncoding?: string, address = '198.51.100.1'): Promise<IncomingMessage> {
  const headers = {
    'x-forwarded-for': address,
    ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
  };
  const [response] = (await once(request(urlOf(gateway) + PATH, { method: 'POST', headers }).end(), 'response')) as [
    IncomingMessage,
  ];
  return response;
}

async function read(acceptEncoding?: string) {
  const response = await open(acceptEncoding);
  const body = Buffer.concat((await response.toArray()) as Buffer[]);
  return { status: response.statusCode, headers: response.headers, body };
}

test.each([
  ['gzip', 'gzip', gunzipSync],
  ['br', 'br', brotliDecompressSync],
  ['gzip, br', 'br', brotliDecompressSync],
  ['gzip;q=1, br;q=0.5, *;q=0', 'gzip', gunzipSync],
])('a large answer to Accept-Encoding: %s is compressed by %s', async (accepted, coding, decompress) => {
  json(LARGE);
  const { headers, body } = await read(accepted);
  expect(headers).toMatchObject({ 'content-encoding': coding, etag: `"tag.part+${coding}"` });
  expect(headers.vary).toMatch(/Accept-Encoding/);
  expect(headers['content-length']).toBeUndefined();
  expect(body.length).toBeLessThan(LARGE.length / 4);
  expect(decompress(body).toString()).toBe(LARGE);
});

test.each([
  ['nothing', undefined],
  ['identity', 'identity'],
  ['an unknown coding', 'zstd'],
])('an answer to a client that accepts %s is not compressed, and varies all the same', async (_name, accepted) => {
  json(LARGE);
  const { headers, body } = await read(accepted);
  expect(headers).toMatchObject({ etag: TAG, 'content-length': String(LARGE.length) });
  expect(headers['content-encoding']).toBeUndefined();
  expect(headers.vary).toMatch(/Accept-Encoding/);
  expect(body.toString()).toBe(LARGE);
});

test('an answer of less than 1 kB, a PNG, a coded answer and one with no-transform are sent as they are', async () => {
  const png = randomBytes(5000).toString('hex');
  const cases: [string, Record<string, string>][] = [
    ['{"data":{}}', {}],
    [png, { 'content-type': 'image/png' }],
    [LARGE, { 'content-encoding': 'zstd' }],
    [LARGE, { 'cache-control': 'no-store, no-transform' }],
  ];
  for (const [text, headers] of cases) {
    json(text, headers);
    const received = await read('gzip, br');
    expect(received.headers['content-length']).toBe(String(text.length));
    expect(received.body.toString()).toBe(text);
  }
});

describe('unread answers', () => {
  let unread: IncomingMessage[];
  beforeEach(() => {
    unread = [];
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(LARGE);
    };
  });
  afterEach(async () => {
    for (const response of unread) response.destroy();
    json(LARGE);
    await waitFor('the compressors', async () => (await read('gzip')).headers['content-encoding'] === 'gzip');
  });

  const openFrom = async (address: string): Promise<string | undefined> => {
    const response = await open('gzip', address);
    unread.push(response);
    return response.headers['content-encoding'];
  };

  test('of all callers are compressed up to a limit, and further ones are sent as they are', async () => {
    const codings: (string | undefined)[] = [];
    while (codings.length < 51) codings.push(await openFrom(`198.51.100.${codings.length % 10}`));
    expect(codings).toEqual([...Array.from({ length: 50 }, () => 'gzip'), undefined]);
  });
});

test.each(['Accept', 'Accept,', ''])("the Vary of a service's answer, %j, keeps its names", async (vary) => {
  json(LARGE, { vary });
  const { headers } = await read('gzip');
  const names = headers.vary!.split(',').map((name) => name.trim());
  expect(names.toSorted()).toEqual([...(vary && ['Accept']), 'Accept-Encoding', 'Origin']);
});

test('an answer without a body stays without one', async () => {
  answer = (response) => response.writeHead(304, { etag: TAG }).end();
  const { status, headers, body } = await read('gzip');
  expect([status, headers.etag, headers['content-encoding'], body.length]).toEqual([304, TAG, undefined, 0]);
  expect(headers.vary).toMatch(/Accept-Encoding/);
});

test('an export is compressed while it is made, and one that breaks off does not look complete', async () => {
  let upstreamResponse!: ServerResponse;
  answer = (response) => {
    upstreamResponse = response;
    response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' });
    response.write('first\n');
  };
  const response = await open('gzip');
  const [first] = (await once(response, 'data')) as [Buffer];
  expect(response.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(first, { finishFlush: constants.Z_SYNC_FLUSH }).toString()).toBe('first\n');
  upstreamResponse.destroy();
  const [error] = (await once(response, 'error')) as [Error & { code: string }];
  expect([error.code, response.complete]).toEqual(['ECONNRESET', false]);
});
