import { connect, type AddressInfo, type Socket } from 'node:net';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { waitFor } from '@waymark/testing/wait-for';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
let server: Server;
let handle: RequestListener;
const sockets: Socket[] = [];

beforeAll(async () => {
  const config = { HOST: '127.0.0.1', PORT: 0, CONNECTIONS_MAX: 100 };
  server = await serveHttp((request, response) => handle(request, response), { config, lifecycle, log });
});
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(() => lifecycle.stop());

function open(port = (server.address() as AddressInfo).port) {
  const seen = { text: '', isClosed: false };
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (data) => (seen.text += data.toString('latin1')));
  socket.on('error', () => undefined).on('close', () => (seen.isClosed = true));
  sockets.push(socket);
  return { socket, seen };
}

test('the server closes a connection that pipelines thousands of requests after four in one turn', async () => {
  let handled = 0;
  handle = (_request, response) => {
    handled += 1;
    response.end();
  };
  const { socket, seen } = open();
  socket.write(REQUEST.repeat(2520));
  await waitFor('the end', () => seen.isClosed);
  // On a slow machine the turn ends before the fourth, and a connection that was closed has no further turn.
  expect(handled).toBeGreaterThan(0);
  expect(handled).toBeLessThanOrEqual(4);
});

test('a connection has at most four unanswered requests at any time', async () => {
  const held: ServerResponse[] = [];
  handle = (_request, response) => void held.push(response);
  const { socket, seen } = open();
  for (let count = 1; count <= 4; count += 1) {
    socket.write(REQUEST);
    await waitFor('the request', () => held.length === count);
  }
  expect(seen.isClosed).toBe(false);
  socket.write(REQUEST);
  await waitFor('the end', () => seen.isClosed);
  expect(held).toHaveLength(4);
});

describe('a connection whose client does not read', () => {
  const answer = Buffer.alloc(4 * 1024 * 1024);
  let unsent = 0;
  let unsentMax = 0;
  beforeEach(() => {
    unsent = unsentMax = 0;
    handle = (_request, response) => {
      unsentMax = Math.max(unsentMax, (unsent += 1));
      response.once('close', () => (unsent -= 1)).end(answer);
    };
  });

  /** Sends a request a millisecond until `requests` are sent, or the server has closed the connection. */
  async function sendUnread(requests: number): Promise<Socket> {
    const { socket, seen } = open();
    socket.pause();
    let sent = 0;
    const sending = setInterval(() => socket.write(REQUEST) && (sent += 1), 1);
    await waitFor('the requests', () => sent >= requests || seen.isClosed || socket.destroyed);
    clearInterval(sending);
    return socket;
  }

  test('makes the server buffer at most four answers', async () => {
    const socket = await sendUnread(1000);
    expect(unsentMax).toBeGreaterThan(0);
    expect(unsentMax).toBeLessThanOrEqual(4);
    socket.destroy();
    await waitFor('every answer to be dropped', () => unsent === 0);
  });

  test('is closed when no data moves any more', async () => {
    const config = { HOST: '127.0.0.1', PORT: 0, CONNECTIONS_MAX: 100 };
    const impatient = await serveHttp((request, response) => handle(request, response), {
      ...{ config, lifecycle, log },
      stalledTimeoutMs: 1000,
    });
    const { socket } = open((impatient.address() as AddressInfo).port);
    socket.pause();
    // Together more than the buffers of the operating system take, and fewer than the limit of unanswered ones.
    socket.write(REQUEST.repeat(3));
    await waitFor('an answer that waits', () => unsentMax === 3 && unsent > 0);
    await waitFor('the answers to be dropped', () => unsent === 0);
  });
});

test('a connection gets answers to four pipelined requests, and to later ones', async () => {
  handle = (_request, response) => void setImmediate(() => response.end());
  const { socket, seen } = open();
  const answers = () => seen.text.split('HTTP/1.1 200').length - 1;
  for (let round = 1; round <= 5; round += 1) {
    socket.write(REQUEST.repeat(4));
    await waitFor('four answers', () => answers() === 4 * round);
  }
  expect(seen.isClosed).toBe(false);
});

test('every response emits close once when its connection ends, even behind an unanswered one', async () => {
  const closed: number[] = [];
  let handled = 0;
  handle = (_request, response) => {
    const index = handled;
    handled += 1;
    response.on('close', () => closed.push(index));
    // The first is never answered, so the others wait behind it.
    if (index > 0) response.end('answer');
  };
  const { socket } = open();
  socket.write(REQUEST.repeat(4));
  await waitFor('the requests', () => handled === 4);
  socket.destroy();
  await waitFor('every response to close', () => closed.length >= 4);
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toEqual([0, 1, 2, 3]);
});
