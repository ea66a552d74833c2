import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networksOf } from '@waymark/kernel/http/networks';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { VisitorAddress } from './visitor-address.js';

/** The timeout of a connection that neither sends nor receives; longer than the keep-alive timeout. */
const SILENCE_MAX_MS = 70_000;

export interface ConnectionLimits {
  max: number;
  perVisitorMax: number;
}

/** Bounds the open connections, in total and per visitor; a trusted proxy has those of many visitors. */
export function limitConnections(
  server: Server,
  { max, perVisitorMax }: ConnectionLimits,
  { addresses, metrics }: { addresses: VisitorAddress; metrics: Metrics },
): void {
  const openOf = new Map<string, number>();
  const openAt = (name: string) => openOf.get(name) ?? 0;
  metrics.gauge('connections', 'Open connections of visitors and proxies', () => countOpen(server));
  server.maxConnections = max;
  server.timeout = SILENCE_MAX_MS;
  server.on('connection', (socket: Socket) => {
    const { address, isTrusted } = addresses.peerOf(socket);
    if (isTrusted) return;
    const networks = networksOf(address);
    if (networks.some(({ name, shareFactor }) => openAt(name) >= perVisitorMax * shareFactor)) {
      metrics.connectionsRefused.inc({ limit: 'visitor' });
      return void socket.destroy();
    }
    for (const { name } of networks) openOf.set(name, openAt(name) + 1);
    socket.once('close', () => {
      for (const { name } of networks) {
        if (openAt(name) > 1) openOf.set(name, openAt(name) - 1);
        else openOf.delete(name);
      }
    });
  });
}

const countOpen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
