import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
