import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { linkCreated } from '@waymark/contract/events';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { Neighbours, sampleLink, startRedirect, temporaryDirectory, visitUrl, type TestRedirect } from './support.js';

const backing = freshBacking();
const spool = temporaryDirectory();
const sockets: Socket[] = [];
let neighbours: Neighbours;
let redirect: TestRedirect;
const link = sampleLink();

async function start(env: Record<string, string> = {}): Promise<void> {
  redirect = await startRedirect({ ...backing, SPOOL_DIR: spool.path, ...env });
  await waitFor('the link', async () => {
    await neighbours.tell(linkCreated, link);
    return (await visitUrl(`${redirect.url}/${link.short_code}`, { headers: { connection: 'close' } })).status === 302;
  });
}

beforeAll(async () => {
  neighbours = await new Neighbours(backing).start();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await redirect.stop();
});
afterAll(async () => {
  await neighbours.stop();
  spool.remove();
});

/** Opens a connection; `seen` has the server's output, and whether the server closed it. */
async function open() {
  const { hostname, port } = new URL(redirect.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const seen = { text: '', isClosed: false };
  socket.on('data', (data) => (seen.text += data.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (seen.isClosed = true));
  await once(socket, 'connect');
  const answers = () => seen.text.split('HTTP/1.1 ').length - 1;
  return { socket, seen, answers, send: (text: string) => socket.write(text) };
}

const REQUEST = `GET /${link.short_code} HTTP/1.1\r\nHost: go.acme.com\r\n`;

describe('one visitor', () => {
  test.each([
    ['a body', 'Content-Length: 1000000\r\n\r\nxxxx'],
    ['a body in chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nxxxx\r\n'],
  ])('that sends %s with a GET is answered without it, and cut off', async (_kind, rest) => {
    await start();
    const { send, seen } = await open();
    send(`${REQUEST}${rest}`);
    await waitFor('the end', () => seen.isClosed);
    expect(seen.text).toMatch(/^HTTP\/1\.1 302 /);
    expect(seen.text).toContain('Connection: close');
  });

  test.each([
    ['too many cookies', 431, `${REQUEST}Cookie: ${'c'.repeat(20_000)}\r\n\r\n`],
    ['too many headers', 431, `${REQUEST}${'X-A: 1\r\n'.repeat(100)}\r\n`],
    ['invalid HTTP', 400, 'GET / HTTP/1.1\r\nno header\r\n\r\n'],
  ])('that sends %s gets %i as a page', async (_what, status, bytes) => {
    await start();
    const { send, seen } = await open();
    send(bytes);
    await waitFor('the end', () => seen.isClosed);
    expect(seen.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(seen.text).toMatch(/\r\nContent-Type: text\/html; charset=utf-8\r\n/);
    expect(seen.text).toMatch(/\r\nX-Request-Id: \S+\r\n/);
    expect(seen.text).toMatch(/\r\n\r\n<!doctype html>[^]*<\/html>\n$/);
  });

  test('that sends more than 100 headers gets 431', async () => {
    await start();
    const headers = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: 1\r\n`).join('');
    const opened = await open();
    opened.send(`${REQUEST}${headers(99)}\r\n`);
    const many = await open();
    many.send(`${REQUEST}${headers(100)}\r\n`);
    await waitFor('both answers', () => opened.answers() + many.answers() === 2);
    expect([opened.seen.text.slice(9, 12), many.seen.text.slice(9, 12)]).toEqual(['302', '431']);
  });

  test('cannot exceed what all connections are bounded to', async () => {
    await start({ CONNECTIONS_MAX: '3' });
    const opened = [await open(), await open(), await open(), await open(), await open()];
    await waitFor('two to be closed', () => opened.filter(({ seen }) => seen.isClosed).length === 2);
  });
});
