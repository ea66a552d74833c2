import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { discardUnread } from '@waymark/gateway/pipeline/unread-bodies';
import { waitFor } from '@waymark/testing/wait-for';

const CLIENTS = 12;
const BODY_BYTES = 1_000_000;
const headOf = (address: string) =>
  `POST / HTTP/1.1\r\nHost: gateway\r\nX-Client: ${address}\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;
const HEAD = headOf('203.0.113.1');

let server: Server;
const requests: IncomingMessage[] = [];
const sockets: Socket[] = [];
const answers: string[] = [];

beforeAll(async () => {
  const discard = discardUnread(({ headers }) => headers['x-client'] as string);
  server = createServer((request, response) => {
    requests.push(request);
    discard(request, response, () => response.writeHead(401).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  requests.length = 0;
  answers.length = 0;
});
afterAll(async () => {
  // Also shows that no connection is left waiting.
  await new Promise((resolve) => server.close(resolve));
});

function openClient(index: number, address = '203.0.113.1'): void {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  answers[index] = '';
  socket.on('data', (chunk) => (answers[index] += chunk.toString()));
  socket.write(`${headOf(address)}x`);
  // A client that writes to a connection that the test has ended.
  socket.on('error', () => undefined);
  sockets.push(socket);
}
const answerCount = () => answers.join('').split('HTTP/1.1 401').length - 1;

test('the bodies of rejected requests are discarded a few at a time, and every connection goes on', async () => {
  for (let index = 0; index < CLIENTS; index += 1) openClient(index);
  await waitFor('the answers', () => answerCount() === CLIENTS);

  const flowing = requests.filter((request) => !request.isPaused());
  expect(flowing.length).toBeLessThanOrEqual(4);

  for (const socket of sockets) socket.write(Buffer.concat([Buffer.alloc(BODY_BYTES - 1), Buffer.from(`${HEAD}x`)]));
  await waitFor('the answers to the second requests', () => answerCount() === 2 * CLIENTS);
  expect(requests.slice(0, CLIENTS).every(({ complete }) => complete)).toBe(true);
});

/** The requests that have had a turn, since Node stopped to discard their bodies itself. */
function requestsWithTurn(): Set<IncomingMessage> {
  const seen = new Set<IncomingMessage>();
  for (const request of requests) {
    if (request.isPaused()) request.once('resume', () => seen.add(request));
    else seen.add(request);
  }
  return seen;
}

test.each([
  ['an address', () => '203.0.113.1'],
  ['an IPv6 /48', (index: number) => `2001:db8:1:${index}::1`],
])('the rejected bodies of %s leave turns to those of other addresses', async (_network, addressOf) => {
  const flood = 40;
  for (let index = 0; index < flood; index += 1) openClient(index, addressOf(index));
  await waitFor('the answers', () => answerCount() === flood);
  const withTurn = requestsWithTurn();
  expect(requests.filter((request) => !request.isPaused()).length).toBeLessThanOrEqual(2);

  openClient(flood, '203.0.113.2');
  sockets[flood]!.write(Buffer.alloc(BODY_BYTES - 1));
  await waitFor('the body of another address', () => requests[flood]?.complete);
  expect(withTurn.size).toBeLessThan(flood);
});

test('a client that leaves while its body waits takes no turn', async () => {
  for (let index = 0; index < CLIENTS; index += 1) openClient(index);
  await waitFor('the answers', () => answerCount() === CLIENTS);
  const left = requests.filter((request) => request.isPaused()).at(-1)!;
  let hasTurn = false;
  left.on('resume', () => (hasTurn = true));
  left.socket.destroy();
  for (const socket of sockets) socket.write(Buffer.alloc(BODY_BYTES - 1));
  await waitFor('the other bodies', () => requests.every((request) => request === left || request.complete));
  expect(hasTurn).toBe(false);
});
