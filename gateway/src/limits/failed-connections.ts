import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { AddressLimiter } from './address-limiter.js';

interface ConnectionContext {
  addresses: { isProxy(address: string): boolean };
  addressLimiter: Pick<AddressLimiter, 'countRequest'>;
}

/** Counts connections that fail without a valid request against the rate limit of the address. */
export function countFailedConnections(server: Server, { addresses, addressLimiter }: ConnectionContext): void {
  server.on('clientError', (_error, socket) => {
    const { remoteAddress } = socket as Socket;
    if (remoteAddress !== undefined && !addresses.isProxy(remoteAddress)) addressLimiter.countRequest(remoteAddress);
  });
}
