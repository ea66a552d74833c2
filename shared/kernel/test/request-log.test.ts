import express from 'express';
import { pino } from 'pino';
import { requestLog } from '@waymark/kernel/http/request-log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import type { Server } from 'node:http';

test('a log line has at most 512 characters of the path that a client sent', async () => {
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
  await waitFor('the line', () => lines.length === 1);
  const { path, workspace } = JSON.parse(lines[0]!) as { path: string; workspace: string };
  expect([path, workspace]).toEqual([`/${'x'.repeat(511)}`, 'x'.repeat(512)]);
  await new Promise((resolve) => server.close(resolve));
});
