import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { AddressLimiter } from './address-limiter.js';
import { ownersOfAddress, Budget } from './budget.js';

interface ConnectionContext {
  config: { CONNECTIONS_MAX: number; CONNECTIONS_PER_ADDRESS: number };
  addresses: { isProxy(address: string): boolean };
  addressLimiter: Pick<AddressLimiter, 'countRequest'>;
  metrics: Metrics;
}

/**
 * Limits the open connections per address, except of trusted proxies, which carry many clients. Also counts connections
 * that fail without a valid request against the rate limit of the address.
 */
export function limitConnections(server: Server, ctx: ConnectionContext): void {
  const { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS } = ctx.config;
  const budget = new Budget(CONNECTIONS_MAX);
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || ctx.addresses.isProxy(remoteAddress)) return;
    const owners = ownersOfAddress(remoteAddress, CONNECTIONS_PER_ADDRESS);
    const reservation = budget.tryReserve(owners);
    if (reservation !== 'reserved') {
      ctx.metrics.connectionsRefused.inc({ limit: reservation === 'full' ? 'total' : 'address' });
      return void socket.destroy();
    }
    socket.once('close', () => budget.releaseAmount(owners));
  });
  server.on('clientError', (_error, socket) => {
    const { remoteAddress } = socket as Socket;
    if (remoteAddress !== undefined && !ctx.addresses.isProxy(remoteAddress))
      ctx.addressLimiter.countRequest(remoteAddress);
  });
}
