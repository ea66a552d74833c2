import { once } from 'node:events';
import { request as httpRequest, type Server } from 'node:http';
import express, { type Express } from 'express';
import { z } from 'zod';
import { required } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import { errorHandler } from '@waymark/kernel/http/api';
import { sendStream } from '@waymark/kernel/http/content';
import { createLog } from '@waymark/kernel/process/log';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

const PIECE = Buffer.alloc(64 * 1024, 'x');
const PIECES_MAX = 1000;

let server: Server;
let source: { read: number; isClosed: boolean; failAt: number };

async function* pieces() {
  try {
    for (; source.read < PIECES_MAX; source.read += 1) {
      if (source.read === source.failAt) throw invalid({ from: [required('from')] });
      await Promise.resolve();
      yield PIECE;
    }
  } finally {
    source.isClosed = true;
  }
}

function streamingApp(): Express {
  const app = express();
  app.get('/api/v1/file', (_request, response) =>
    sendStream(response, pieces(), { headers: { 'Content-Type': 'text/plain' } }),
  );
  app.use(errorHandler(createLog('test', 'fatal')));
  return app;
}

beforeAll(async () => {
  server = streamingApp().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  source = { read: 0, isClosed: false, failAt: Infinity };
});

test('a stream arrives complete', async () => {
  const body = await (await fetch(`${urlOf(server)}/api/v1/file`)).arrayBuffer();
  expect(body.byteLength).toBe(PIECE.length * PIECES_MAX);
});

test('a client that does not read pauses the source, and closes it by disconnecting', async () => {
  const request = httpRequest(`${urlOf(server)}/api/v1/file`).end();
  await once(request, 'response');
  request.destroy();
  await waitFor('the source to be closed', () => source.isClosed);
  expect(source.read).toBeLessThan(PIECES_MAX / 2);
});

test('a failure before the first piece is answered in the usual envelope', async () => {
  source.failAt = 0;
  const response = await fetch(`${urlOf(server)}/api/v1/file`);
  expect(response.status).toBe(422);
  expect(response.headers.get('content-type')).toMatch('application/json');
  const envelope = z.object({ error: z.object({ code: z.literal('validation_failed') }) });
  expect(envelope.safeParse(await response.json()).success).toBe(true);
});

test('a later failure aborts the connection, so that the answer does not look complete', async () => {
  source.failAt = 3;
  const response = await fetch(`${urlOf(server)}/api/v1/file`);
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow();
});
