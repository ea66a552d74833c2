import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createFirstContent, prepareDemo, type Demo } from '@waymark/start/demo';
import { startSystem } from './system.js';

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

test('prepares the demo again right after the owner has used up the limit of requests', async () => {
  const limit = 5;
  const { system, demo, stop } = await startSystem('links', { API_WORKSPACE_REQUESTS_PER_MINUTE: String(limit) });
  try {
    const url = `${demo.base_url}/api/v1/workspaces/${demo.workspace}/links`;
    const headers = { authorization: `Bearer ${demo.users['owner']!.token}` };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length <= limit) statuses.push((await fetch(url, { headers })).status);
    expect(statuses.at(-1)).toBe(429);
    const demoFile = join(system.settings.folder, 'demo.json');
    const { deployment, port, shortPort, folder } = system.settings;

    const settings = { deployment, port, shortPort, folder, demoFile, dnsServers: demo.dns_servers, runFile: '' };
    const again = await prepareDemo(system, settings);

    expect(again).toEqual(demo);
  } finally {
    await stop();
  }
});

async function demoServedBy(listener: RequestListener): Promise<Demo> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const users = { owner: { email: 'owner@example.com', password: 'p', token: 't' } };
  return { deployment: 'links', base_url, short_url: '', workspace: 'acme-corp', dns_servers: '', users };
}

test.each([429, 503])('waits as long as Retry-After says when the first content meets a %i', async (status) => {
  const answers = [status, status, 201];
  const demo = await demoServedBy((_request, response) => {
    response.writeHead(answers.shift()!, { 'retry-after': '0' }).end();
  });
  const lines: string[] = [];

  await createFirstContent(demo, (line) => lines.push(line));

  expect(answers).toEqual([]);
  expect(lines).toEqual(Array(2).fill(`the API answers ${status}; trying again after 0 s`));
});

test('keeps the first content that exists already', async () => {
  const problem = { field: 'short_code', code: 'taken', message: 'This short code is already in use.' };
  const taken = JSON.stringify({ error: { code: 'validation_failed', problems: [problem] } });
  const demo = await demoServedBy((_request, response) => response.writeHead(422).end(taken));
  await expect(createFirstContent(demo, () => undefined)).resolves.toBeUndefined();
});

const TOO_LONG = { field: 'title', code: 'too_long', message: 'Too long.' };
test.each([
  [422, 'no title', 'The server answered 422.'],
  [422, JSON.stringify({ error: { message: 'One problem.', problems: [TOO_LONG] } }), 'One problem.'],
  [422, '{"error":{}}', 'The server answered 422.'],
  [409, 'conflict', 'The server answered 409.'],
])('fails with the answer when the API refuses the first content with %i %s', async (status, text, message) => {
  const demo = await demoServedBy((_request, response) => response.writeHead(status).end(text));
  await expect(createFirstContent(demo, () => undefined)).rejects.toThrow(
    `the API refused the first content: ${message}`,
  );
});
