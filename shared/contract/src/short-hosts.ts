import { z } from 'zod';
import { commaList, httpOrigin } from './common.js';

/** Read by every service that needs the address of the default short host. */
export const shortHostConfig = z.object({
  /** Public address of the default short host, without a slash at the end. */
  SHORT_BASE_URL: httpOrigin,
  /** Further `host[:port]` names that mean the default short host. */
  SHORT_HOSTS: commaList.default([]),
});

export type ShortHostConfig = z.output<typeof shortHostConfig>;

/** Removes the port, and the dot that ends an absolute name. */
export const withoutPort = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '');

/** Returns the lower-cased `host[:port]`s of the default short host, also without the port, which may be mapped. */
export function shortHosts({ SHORT_BASE_URL, SHORT_HOSTS }: ShortHostConfig): ReadonlySet<string> {
  const names = [new URL(SHORT_BASE_URL).host, ...SHORT_HOSTS].map((host) => host.toLowerCase());
  return new Set(names.flatMap((name) => [name, withoutPort(name)]));
}

/** Loopback, and every interface, in the spelling of a parsed URL. */
const OWN_ADDRESS = /^(?:0\.0\.0\.0|127(?:\.\d+){3}|\[::1?\]|\[::ffff:(?:0:0|7f[0-9a-f]{2}:[0-9a-f]+)\])$/;
/** Names below `localhost` resolve to it, too (RFC 6761). */
const isThisMachine = (name: string): boolean => `.${name}`.endsWith('.localhost') || OWN_ADDRESS.test(name);

/**
 * Returns a test for URLs that lead to the default short host: by one of its names on any port; if one of its names
 * means this machine, also by every other name of this machine on that port.
 */
export function shortHostTest({ SHORT_BASE_URL, SHORT_HOSTS }: ShortHostConfig): (url: URL) => boolean {
  const names = shortHosts({ SHORT_BASE_URL, SHORT_HOSTS });
  const local = [SHORT_BASE_URL, ...SHORT_HOSTS.map((host) => `http://${host}`)]
    .flatMap((text) => URL.parse(text) ?? [])
    .filter(({ hostname }) => isThisMachine(hostname));
  const localPorts = new Set(local.map(({ port }) => port));
  return ({ hostname, port }) => {
    const name = withoutPort(hostname);
    return names.has(name) || (isThisMachine(name) && localPorts.has(port));
  };
}
