import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

const DIRECT = 'direct';
const HOST = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/;

/**
 * The host that a scan came from, or `direct`. A bare address counts as `direct`: it says nothing of a site, and it
 * might be the visitor's own.
 */
export function referrerOf(header: string): string {
  const host = URL.parse(asUtf8(header))
    ?.hostname.toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  return host !== undefined && HOST.test(host) && isIP(host) === 0 ? host : DIRECT;
}

/** A header comes as bytes that are read as Latin-1; what is not ASCII in it is nearly always UTF-8. */
function asUtf8(header: string): string {
  if (!/[\u0080-\u00ff]/.test(header)) return header;
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}

const CACHED_MAX = 5000;
/** Longer ones carry a query that nobody else has. */
const CACHED_LENGTH_MAX = 200;

/** Parsing a URL costs more than most of what is done with a scan, and most come from a few pages: those are remembered. */
export class Referrers {
  private readonly known = new LRUCache<string, string>({ max: CACHED_MAX });

  hostOf(header: string): string {
    if (header === '') return DIRECT;
    if (header.length > CACHED_LENGTH_MAX) return referrerOf(header);
    let host = this.known.get(header);
    if (host === undefined) this.known.set(header, (host = referrerOf(header)));
    return host;
  }
}
