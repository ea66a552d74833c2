import { constants } from 'node:crypto';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, DEFAULT_CIPHERS } from 'node:tls';
import { buildConnector } from 'undici';
import type { AddressPolicy } from '@waymark/kernel/http/address-policy';
import { isLocalhost, LOOPBACK, type Resolve } from './resolver.js';

export type Connector = buildConnector.connector;

/** For the look-up, the connection and TLS. */
export const CONNECT_TIMEOUT_MS = 5000;

export class AddressBlocked extends Error {
  override readonly name = 'AddressBlocked';
  readonly code = 'EBLOCKED';
}

/**
 * A name without an allowed address. The error does not say whether the name exists: that would reveal to the owner of
 * an endpoint which names exist in the networks of this installation.
 */
export class NameNotPublic extends Error {
  override readonly name = 'NameNotPublic';
  readonly code = 'ENOTPUBLIC';
}

/** Creates a context for many connections: one of its own takes 18 kB of native memory. */
export const createTlsContext = () =>
  createSecureContext({
    // Over a finite field the receiver chooses the group of a Diffie-Hellman exchange.
    ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });

/** Opens connections with undici's own connector. */
export const openConnections = (lookup?: LookupFunction): Connector =>
  // Only with HTTP/1.1 can the client tell a kept connection that ended from a receiver that failed.
  buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false, secureContext: createTlsContext() });

/**
 * Connects only to addresses that it has checked: the look-up of the connection is the check, so that DNS rebinding has
 * no effect. One refused address among several refuses the name.
 */
export function directConnector(policy: AddressPolicy, resolve: Resolve): Connector {
  return openConnections((hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const refused = addresses.some(({ address }) => !policy.allowsAddress(address));
        if (refused) callback(new NameNotPublic('an address of the name is not allowed'), []);
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: unknown) => callback(new NameNotPublic('the name was not resolved', { cause: error }), []),
    );
  });
}

/** Refuses the addresses in URLs, which never reach a look-up, before it connects. */
export function checkedConnector(policy: AddressPolicy, connect: Connector): Connector {
  return (target, callback) => {
    const isRefused = knownAddresses(target.hostname)?.some((address) => !policy.allowsAddress(address));
    if (isRefused) return callback(new AddressBlocked('the address is not allowed'), null);
    connect(target, (...result) => {
      const [, socket] = result;
      if (socket) addBytesRead(socket);
      callback(...result);
    });
  };
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Returns the addresses of a host that are known without a DNS query, or null: an IP literal, whose spelling the URL parser
 * has already normalized, or localhost.
 */
export function knownAddresses(host: string): string[] | null {
  if (isIP(host) !== 0) return [host];
  return isLocalhost(host) ? LOOPBACK.map(({ address }) => address) : null;
}

/** The fields of undici's own errors. */
export interface SocketFailure extends Error {
  code?: unknown;
  socket?: { bytesRead?: number };
}

/** Lets the errors of a socket say how many bytes had been read, as undici's own errors do. */
function addBytesRead(socket: Socket): void {
  socket.on('error', (failure: SocketFailure) => (failure.socket ??= { bytesRead: socket.bytesRead }));
}
