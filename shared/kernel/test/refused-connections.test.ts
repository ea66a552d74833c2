import { connect, type AddressInfo, type Socket } from 'node:net';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { waitFor } from '@waymark/testing/wait-for';

test('a server counts the connections beyond CONNECTIONS_MAX', async () => {
  const log = createLog('test', 'silent');
  const lifecycle = new Lifecycle(log);
  const metrics = new Metrics('test');
  const config = { HOST: '127.0.0.1', PORT: 0, CONNECTIONS_MAX: 2 };
  const server = await serveHttp((_request, response) => response.end(), { config, lifecycle, log, metrics });
  const { port } = server.address() as AddressInfo;
  let closedCount = 0;
  const sockets: Socket[] = Array.from({ length: 5 }, () =>
    connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .on('close', () => (closedCount += 1)),
  );
  await waitFor('three to be closed', () => closedCount === 3);
  sockets.forEach((socket) => socket.destroy());
  expect(await metrics.registry.metrics()).toContain('waymark_connections_refused_total{service="test"} 3');
  await lifecycle.stop();
});
