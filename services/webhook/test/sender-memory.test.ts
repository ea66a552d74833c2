import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';

/** As many as a process has under way with the default of `WEBHOOK_IN_FLIGHT_MAX`. */
const DELIVERIES = 1800;
const MEGABYTE = 1e6;

/** Fewer handshakes at once than could reach their time limit on a slow machine. */
const STEP = 100;

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
  const before = process.memoryUsage.rss();
  let count = 0;
  require('readline').createInterface(process.stdin).on('line', () => {
    if (count === ${DELIVERIES}) {
      console.log(process.memoryUsage.rss() - before);
      process.exit();
    }
    for (let i = 0; i < ${STEP}; i += 1) {
      count += 1;
      sender.postMessage({ url: url + count, secrets: ['whsec_AAAA'], id: 'evt_' + count, body: 'x'.repeat(14000) });
    }
  });`;

let folder: string;
const servers: Server[] = [];
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-sender-'))));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1', 4096), 'listening');
  return (server.address() as AddressInfo).port;
}

function makeCertificate(): { key: Buffer; cert: Buffer; path: string } {
  const [key, path] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', path, ...name], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(path), path };
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
  ['', 320],
  ['through a proxy over TLS ', 480],
])('deliveries to receivers %sthat never answer take at most %i MB', async (way, limitMb) => {
  const { path, ...certificate } = makeCertificate();
  let openCount = 0;
  const receiver = createTlsServer(certificate, (socket) => {
    socket.on('error', () => undefined).resume();
    openCount += 1;
    if (openCount % STEP === 0) child.stdin.write('next\n');
  });
  const args = [`https://127.0.0.1:${await listen(receiver)}/`];
  const proxy = createHttpsServer(certificate).on('connect', openTunnel);
  if (way) args.push(`https://127.0.0.1:${await listen(proxy)}`);
  const child = spawn(process.execPath, ['--max-old-space-size=240', '-e', SCRIPT, ...args], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: path },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.write('first\n');
  const grownMb = Number(await text(child.stdout)) / MEGABYTE;
  expect(openCount).toBe(DELIVERIES);
  expect(grownMb).toBeGreaterThan(50);
  expect(grownMb).toBeLessThan(limitMb);
});
