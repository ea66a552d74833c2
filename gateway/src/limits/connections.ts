import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayContext } from '../context.js';
import { holdersOfAddress, Shares } from './shares.js';

/**
 * Limits the open connections per address, except of trusted proxies, which carry many clients. Also counts connections
 * that fail without a valid request against the rate limit of the address.
 */
export function limitConnections(server: Server, ctx: GatewayContext): void {
  const { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS } = ctx.config;
  const shares = new Shares(CONNECTIONS_MAX);
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || ctx.addresses.isProxy(remoteAddress)) return;
    const holders = holdersOfAddress(remoteAddress, CONNECTIONS_PER_ADDRESS);
    if (shares.tryTake(holders) !== 'taken') return void socket.destroy();
    socket.once('close', () => shares.release(holders));
  });
  server.on('clientError', (_error, socket) => {
    const { remoteAddress } = socket as Socket;
    if (remoteAddress !== undefined && !ctx.addresses.isProxy(remoteAddress)) ctx.addressLimiter.count(remoteAddress);
  });
}
