import express from 'express';
import { pino } from 'pino';
import { sendError } from '@waymark/kernel/http/envelope';
import { requestLog } from '@waymark/kernel/http/request-log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import type { Server } from 'node:http';

test('a log line has at most 512 characters of the path that a client sent, and no token of a one-time link', async () => {
  const lines: string[] = [];
  const app = express().use(
    requestLog(pino({}, { write: (line: string) => void lines.push(line) }), new Metrics('test')),
  );
  app.get('/:workspace', (request, response) => {
    response.locals['workspace'] = request.params.workspace;
    response.end();
  });
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  await fetch(`${urlOf(server)}/${'x'.repeat(8000)}`, { headers: { connection: 'close' } });
  await fetch(`${urlOf(server)}/console/reset/${'t'.repeat(43)}`, { headers: { connection: 'close' } });
  await waitFor('both lines', () => lines.length === 2);
  expect(lines[1]).toContain('"path":"/console/reset/[redacted]"');
  const { path, workspace } = JSON.parse(lines[0]!) as { path: string; workspace: string };
  expect([path, workspace]).toEqual([`/${'x'.repeat(511)}`, 'x'.repeat(512)]);
  await new Promise((resolve) => server.close(resolve));
});

test('work that ends because its client has left is no error in the log', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const client = new AbortController();
  let hasLeft = false;
  const app = express().get('/slow', (_request, response) => {
    client.abort();
    const aborted = AbortSignal.abort().reason as Error;
    response.once('close', () => {
      sendError(response, aborted, { path: '/slow', log });
      hasLeft = true;
    });
  });
  app.get('/broken', (_request, response) => sendError(response, new Error('broken'), { path: '/broken', log }));
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  await expect(fetch(`${urlOf(server)}/slow`, { signal: client.signal })).rejects.toThrow();
  await waitFor('the client to leave', () => hasLeft);
  expect(lines).toEqual([]);
  await fetch(`${urlOf(server)}/broken`, { headers: { connection: 'close' } });
  expect(lines).toHaveLength(1);
  await new Promise((resolve) => server.close(resolve));
});

test('a request whose client has left before its answer is logged without a status, as a warning', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const client = new AbortController();
  const app = express().use(requestLog(log, new Metrics('test')));
  app.get('/slow', () => client.abort());
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  await expect(fetch(`${urlOf(server)}/slow`, { signal: client.signal })).rejects.toThrow();
  await waitFor('the line', () => lines.length === 1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, path: '/slow', status: null, aborted: true });
  await new Promise((resolve) => server.close(resolve));
});
