import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { webhookConfig } from '@waymark/webhook/config';
import { OVERFLOW_FACTOR, SMALL_POOL_SHARE } from '@waymark/webhook/dispatch/concurrency-pools';
import { makeCertificate } from './certificate.js';

const IN_FLIGHT_MAX = webhookConfig.shape.WEBHOOK_IN_FLIGHT_MAX.parse(undefined);
/** As many as a process has under way at most, by default. */
const DELIVERIES = IN_FLIGHT_MAX * (1 + 2 / SMALL_POOL_SHARE + OVERFLOW_FACTOR);
const MEGABYTE = 1e6;

/** Fewer handshakes at once than could reach their time limit on a slow machine. */
const STEP = 20;
/** The memory of this many deliveries does not count: the process allocates some once, e.g. for its thread pool. */
const WARM_UP = 100;

const required = (path: string) => JSON.stringify(join(__dirname, path));
/** Sends some messages for each line that it reads; for the line after the last message, prints how its memory has grown. */
const SCRIPT = `
  const { pino } = require('pino');
  const { Lifecycle } = require(${required('../../../shared/kernel/dist/process/lifecycle.js')});
  const { Sender } = require(${required('../dist/http/sender.js')});
  const [url, proxyUrl] = process.argv.slice(1);
  const networks = { allowedNetworks: ['127.0.0.0/8'], deniedNetworks: [], nameServers: [] };
  const sender = new Sender({ ...networks, proxyUrl, timeoutMs: 600000 });
  const log = pino({ level: 'silent' });
  sender.start({ log, lifecycle: new Lifecycle(log) });
  let count = 0;
  let before;
  const send = async () => {
    count += 1;
    const message = { url: url + count, secrets: ['whsec_AAAA'], id: 'evt_' + count, body: 'x'.repeat(14000) };
    console.log('a delivery has ended: ' + JSON.stringify(await sender.postMessage(message)));
    process.exit();
  };
  const lines = require('readline').createInterface(process.stdin);
  lines.on('close', () => process.exit());
  lines.on('line', () => {
    if (count === ${WARM_UP}) before = process.memoryUsage.rss();
    if (count < ${DELIVERIES}) for (let i = 0; i < ${STEP}; i += 1) void send();
    else {
      console.log(process.memoryUsage.rss() - before);
      process.exit();
    }
  });`;

let folder: string;
let child: ChildProcessByStdio<Writable, Readable, null>;
const servers: Server[] = [];
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-sender-'))));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  child.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1', 4096), 'listening');
  return (server.address() as AddressInfo).port;
}

function openTunnel({ url }: IncomingMessage, client: Socket): void {
  const receiver = connect(Number(url!.split(':')[1]), '127.0.0.1', () => {
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    receiver.pipe(client);
    client.pipe(receiver);
  });
  receiver.on('error', () => client.destroy());
  client.on('error', () => receiver.destroy());
}

test.each([
  ['', { min: 150, max: 300 }],
  ['through a proxy over TLS ', { min: 250, max: 430 }],
])('deliveries to receivers %sthat never answer take a known amount of memory', async (way, megabytes) => {
  const { path, ...certificate } = makeCertificate(folder, { name: 'localhost', altNames: 'IP:127.0.0.1' });
  let openCount = 0;
  const receiver = createTlsServer(certificate, (socket) => {
    socket.on('error', () => undefined).resume();
    openCount += 1;
    if (openCount % STEP === 0) child.stdin.write('next\n');
  });
  const args = [`https://127.0.0.1:${await listen(receiver)}/`];
  const proxy = createHttpsServer(certificate).on('connect', openTunnel);
  if (way) args.push(`https://127.0.0.1:${await listen(proxy)}`);
  child = spawn(process.execPath, ['--max-old-space-size=240', '-e', SCRIPT, ...args], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: path },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.write('first\n');
  const printed = await text(child.stdout);
  expect(printed).toMatch(/^\d+\n$/);
  expect(openCount).toBe(DELIVERIES);
  const grownMb = Number(printed) / MEGABYTE;
  expect(grownMb).toBeGreaterThan(megabytes.min);
  expect(grownMb).toBeLessThan(megabytes.max);
});
