import { isIP } from 'node:net';
import { parseUrl } from '@waymark/shared/contract/url';

const DIRECT = 'direct';
const HOST = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/;

/**
 * The host that a scan came from, or `direct`. A bare address counts as `direct`: it says nothing of a site, and it
 * might be the visitor's own.
 */
export function referrerOf(header: string): string {
  const host = parseUrl(header)
    ?.hostname.toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  return host !== undefined && HOST.test(host) && isIP(host) === 0 ? host : DIRECT;
}
