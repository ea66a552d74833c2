import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import type { AddressPolicy } from './address-policy.js';
import type { Resolve } from './resolver.js';

const CONNECT_TIMEOUT_MS = 5000;
/** Shorter than any usual server's own limit, so that a kept connection is seldom closed under a request. */
const IDLE_TIMEOUT_MS = 1000;

export class AddressBlocked extends Error {
  override readonly name = 'AddressBlocked';
  readonly code = 'EBLOCKED';
}

/** The host of a URL when it is an address, else null; the URL parser has already made one form of all spellings. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

/** @throws AddressBlocked for an address in place of a name: such a host never reaches a lookup. */
export function checkLiteral(url: URL, policy: AddressPolicy): void {
  const address = literalAddress(url);
  if (address !== null && !policy.allows(address)) throw new AddressBlocked('the address is not allowed');
}

/**
 * Connects only to addresses it has checked itself: the lookup of the connection is the check, so that a name which
 * answers differently a moment later gains nothing. One refused address among several refuses the name.
 */
export function guardedAgent(policy: AddressPolicy, resolve: Resolve): Agent {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const refused = addresses.some(({ address }) => !policy.allows(address));
        if (refused) callback(new AddressBlocked('the address is not allowed'), []);
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
  return new Agent({
    connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
    // One time limit over all (see `post.ts`); these two would only watch parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
