import { connect, type AddressInfo, type Socket } from 'node:net';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { waitFor } from '@waymark/testing/wait-for';

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
let server: Server;
let handle: RequestListener;
let acceptedCount = 0;
const sockets: Socket[] = [];

beforeAll(async () => {
  const config = { HOST: '127.0.0.1', PORT: 0, CONNECTIONS_MAX: 200 };
  const clientOf = ({ headers, socket }: IncomingMessage) => (headers['x-client'] as string | undefined) ?? socket;
  server = await serveHttp((request, response) => handle(request, response), { config, lifecycle, log, clientOf });
  server.on('connection', () => (acceptedCount += 1));
});
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(() => lifecycle.stop());

/** Opens connections, and waits until the server has accepted them. */
async function open(count: number): Promise<Socket[]> {
  const { port } = server.address() as AddressInfo;
  const expected = acceptedCount + count;
  const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  sockets.push(...opened);
  await waitFor('the connections', () => acceptedCount === expected);
  return opened;
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

/** Keeps the event loop busy for as long as a whole turn may last, so that each turn has room for one request. */
function fillTurn(): void {
  const endsAt = performance.now() + 10;
  while (performance.now() < endsAt);
}

/** Handles one request in a turn. @returns their paths, in the order in which they are handled */
function handleSlowly(): string[] {
  const handled: string[] = [];
  handle = (request, response) => {
    handled.push(request.url!);
    fillTurn();
    response.end();
  };
  return handled;
}

test('requests that arrive together on many connections are handled in several turns of the event loop', async () => {
  let turn = 0;
  const handledIn: number[] = [];
  handle = (_request, response) => {
    handledIn.push(turn);
    if (handledIn.length === 1 || handledIn.at(-2) !== turn) setImmediate(() => (turn += 1));
    fillTurn();
    response.end();
  };
  for (const socket of await open(30)) socket.write(get('/'));
  await waitFor('the requests', () => handledIn.length === 30);
  const perTurn = handledIn.map((one) => handledIn.filter((other) => other === one).length);
  // One in the poll, and one of those that wait.
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2);
});

test('connections take turns with one request each, however many they have pipelined', async () => {
  const handled = handleSlowly();
  const greedy = await open(10);
  const [modest] = await open(1);
  for (const socket of greedy) socket.write(get('/greedy').repeat(4));
  modest!.write(get('/modest'));
  await waitFor('the requests', () => handled.length === 41);
  // Each greedy connection comes first at most twice: once in the poll that read it, and once before the modest one.
  expect(handled.indexOf('/modest')).toBeLessThanOrEqual(20);
});

test('clients take turns with one request each, however many connections they have', async () => {
  const handled = handleSlowly();
  const greedy = await open(10);
  const [modest] = await open(1);
  for (const socket of greedy) socket.write(get('/greedy', 'X-Client: greedy\r\n').repeat(4));
  modest!.write(get('/modest', 'X-Client: modest\r\n'));
  await waitFor('the requests', () => handled.length === 41);
  // One is handled in the poll that reads it, and one before the turn of the modest client.
  expect(handled.indexOf('/modest')).toBeLessThanOrEqual(3);
});

test('a client with too many waiting requests loses the connections of further ones', async () => {
  let handledCount = 0;
  handle = (_request, response) => {
    handledCount += 1;
    fillTurn();
    response.end();
  };
  const connections = await open(140);
  let closedCount = 0;
  for (const socket of connections) socket.on('close', () => (closedCount += 1));
  for (const socket of connections) socket.write(get('/', 'X-Client: greedy\r\n').repeat(4));
  await waitFor('every request', () => handledCount + 4 * closedCount >= 560);
  // Beside those that wait, a few are handled while the others arrive.
  expect(handledCount).toBeGreaterThanOrEqual(512);
  expect(closedCount).toBeGreaterThan(0);
});

test('requests of a connection are answered in their order, however many turns they take', async () => {
  handle = (request, response) => {
    fillTurn();
    response.end(request.url);
  };
  const [socket] = await open(1);
  let text = '';
  socket!.on('data', (data: Buffer) => (text += data.toString('latin1')));
  socket!.write(['/1', '/2', '/3', '/4'].map((path) => get(path)).join(''));
  await waitFor('the answers', () => text.includes('/4'));
  expect(text.match(/\/\d(?=HTTP|$)/g)).toEqual(['/1', '/2', '/3', '/4']);
});

test('requests of a connection that has ended while they waited are not handled', async () => {
  const handled: string[] = [];
  handle = (request, response) => {
    handled.push(request.url!);
    if (request.url === '/first') leaving!.destroy();
    fillTurn();
    response.end();
  };
  const [first, leaving, last] = await open(3);
  first!.write(get('/first').repeat(4));
  leaving!.write(get('/leaving').repeat(4));
  await waitFor('the first request', () => handled.length > 0);
  last!.write(get('/last'));
  await waitFor(
    'the requests',
    () => handled.includes('/last') && handled.filter((url) => url === '/first').length === 4,
  );
  expect(handled.filter((url) => url === '/leaving').length).toBeLessThanOrEqual(1);
});
