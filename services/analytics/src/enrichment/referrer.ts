import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

const DIRECT = 'direct';
const HOST = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/;

/** Of other schemes, such as `tg:` and `chrome-extension:`, the host is a word of the app, not a name. */
const SCHEMES = ['http:', 'https:', 'android-app:'];

/**
 * Returns the host of the referring page, or `direct`. A bare IP address counts as `direct`: it identifies no site, and
 * might be the visitor's own.
 */
export function parseReferrerHost(header: string): string {
  const url = URL.parse(asUtf8(header));
  if (url === null || !SCHEMES.includes(url.protocol)) return DIRECT;
  const host = url.hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  return HOST.test(host) && isIP(host) === 0 ? host : DIRECT;
}

/** Node decodes headers as Latin-1, but their non-ASCII bytes are nearly always UTF-8. */
function asUtf8(header: string): string {
  if (!/[\u0080-\u00ff]/.test(header)) return header;
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}

const CACHED_MAX = 5000;
/** Longer headers contain a query and rarely repeat. */
const CACHED_LENGTH_MAX = 200;

/**
 * Caches recent referrers: parsing a URL is one of the most expensive steps per scan, and most scans come from a few
 * pages.
 */
export class Referrers {
  private readonly cache = new LRUCache<string, string>({ max: CACHED_MAX });

  referrerHost(header: string): string {
    if (header === '') return DIRECT;
    if (header.length > CACHED_LENGTH_MAX) return parseReferrerHost(header);
    let host = this.cache.get(header);
    if (host === undefined) this.cache.set(header, (host = parseReferrerHost(header)));
    return host;
  }
}
