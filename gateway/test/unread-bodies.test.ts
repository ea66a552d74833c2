import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { discardUnread } from '@waymark/gateway/pipeline/unread-bodies';
import { waitFor } from '@waymark/testing/wait-for';

const CLIENTS = 12;
const BODY_BYTES = 1_000_000;
const HEAD = `POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;

let server: Server;
const requests: IncomingMessage[] = [];
const sockets: Socket[] = [];
const answers: string[] = [];

beforeAll(async () => {
  const discard = discardUnread();
  server = createServer((request, response) => {
    requests.push(request);
    discard(request, response, () => response.writeHead(401).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  // Also shows that no connection is left waiting.
  await new Promise((resolve) => server.close(resolve));
});

function openClient(index: number): void {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  answers[index] = '';
  socket.on('data', (chunk) => (answers[index] += chunk.toString()));
  socket.write(`${HEAD}x`);
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
