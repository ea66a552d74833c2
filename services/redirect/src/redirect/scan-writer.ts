import type { IncomingHttpHeaders } from 'node:http';
import { newId } from '@waymark/contract/ids';
import type { RedirectTarget } from '../targets/target.js';

const USER_AGENT_MAX = 512;
const REFERRER_MAX = 2048;
const LANGUAGE_MAX = 100;

interface ScannedVisit {
  target: RedirectTarget;
  isQr: boolean;
  /** Must have no character that JSON escapes. */
  address: string;
  headers: IncomingHttpHeaders;
}

/** Writes scans as JSON of `rawScan`; by hand, since it runs for every redirect. */
export class ScanWriter {
  private now = 0;
  private nowText = '';

  writeScan(now: number, { target, isQr, address, headers }: ScannedVisit): string {
    return (
      `{"id":"${newId('scn')}","at":"${this.timeOf(now)}",${target.scanFields},"trigger":"${isQr ? 'qr' : 'link'}",` +
      `"address":"${address}","user_agent":${JSON.stringify(userAgentOf(headers))},` +
      `"accept_language":${text(headers['accept-language'], LANGUAGE_MAX)},` +
      `"referrer":${text(headers.referer, REFERRER_MAX)},"prefetch":${isPrefetch(headers)}}`
    );
  }

  private timeOf(now: number): string {
    if (now !== this.now) {
      this.now = now;
      this.nowText = new Date(now).toISOString();
    }
    return this.nowText;
  }
}

function text(value: string | undefined, lengthMax: number): string {
  if (value === undefined) return '""';
  return JSON.stringify(value.length > lengthMax ? value.slice(0, lengthMax) : value);
}

/** Returns the user agent as far as a scan keeps it. */
export const userAgentOf = (headers: IncomingHttpHeaders): string =>
  (headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX);

export function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz'];
  return purpose !== undefined && EARLY.test(String(purpose));
}

/** `Sec-Purpose: prefetch`, and the names in older browsers: a fetch or a preview before the visitor opens the link. */
const EARLY = /prefetch|preview/i;
