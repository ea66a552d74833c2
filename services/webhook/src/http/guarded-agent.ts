import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.js';
import { CONNECT_TIMEOUT_MS, createConnector } from './connector.js';
import { isLocalhost, LOOPBACK, type Resolve } from './resolver.js';

/** Shorter than the limit of common servers, so that a server rarely closes a kept connection during a request. */
const IDLE_TIMEOUT_MS = 1000;
/** One time limit covers a whole attempt (see `exchange.ts`); these limits would cover only parts of it. */
export const CLIENT_OPTIONS = {
  // Only with HTTP/1.1 can the client tell a kept connection that ended from a receiver that failed.
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
};

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

/** Returns the host of a URL, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Returns the addresses that are known without a DNS query, or null: an IP literal, whose spelling the URL parser has
 * already normalized, or localhost.
 */
export function knownAddresses(url: URL): string[] | null {
  const host = hostOf(url);
  if (isIP(host) !== 0) return [host];
  return isLocalhost(host) ? LOOPBACK.map(({ address }) => address) : null;
}

/** @throws AddressBlocked for a refused IP literal or localhost: such a host never reaches a lookup. */
export function checkKnownAddresses(url: URL, policy: AddressPolicy): void {
  const isRefused = knownAddresses(url)?.some((address) => !policy.allowsAddress(address));
  if (isRefused) throw new AddressBlocked('the address is not allowed');
}

/**
 * Connects only to addresses that it has checked: the lookup of the connection is the check, so that DNS rebinding has
 * no effect. One refused address among several refuses the name.
 */
export function createGuardedAgent(policy: AddressPolicy, resolve: Resolve, keepsConnections = true): Agent {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const refused = addresses.some(({ address }) => !policy.allowsAddress(address));
        if (refused) callback(new NameNotPublic('an address of the name is not allowed'), []);
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: unknown) => callback(new NameNotPublic('the name was not resolved', { cause: error }), []),
    );
  };
  return new Agent({
    connect: createConnector(buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS })),
    pipelining: keepsConnections ? 1 : 0,
    ...CLIENT_OPTIONS,
  });
}
