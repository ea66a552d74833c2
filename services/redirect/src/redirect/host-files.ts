import type { ServerResponse } from 'node:http';
import type { HostSettings } from '../hosts/host.js';

export interface HostFile {
  contentType: string;
  body: Buffer;
}

/** A crawler must be allowed to read a redirect, to see its `noindex`; previews must work. */
const ROBOTS: HostFile = { contentType: 'text/plain; charset=utf-8', body: Buffer.from('User-agent: *\nDisallow:\n') };
const JSON_TYPE = 'application/json';
const EMPTY = Buffer.alloc(0);

/** The paths of every short host that are no links. Systems take the files for apps from nowhere else, and follow no redirect. */
const FILES: Readonly<Record<string, (host: HostSettings) => HostFile | null>> = {
  '/robots.txt': () => ROBOTS,
  '/favicon.ico': () => ({ contentType: '', body: EMPTY }),
  '/.well-known/apple-app-site-association': ({ appleAppSiteAssociation: body }) => jsonFile(body),
  '/.well-known/assetlinks.json': ({ assetlinks: body }) => jsonFile(body),
};

const jsonFile = (body: Buffer | null): HostFile | null => body && { contentType: JSON_TYPE, body };

/** @returns `null` for a file that the host does not have, `undefined` for any other path */
export const fileAt = (path: string, host: HostSettings): HostFile | null | undefined =>
  Object.hasOwn(FILES, path) ? FILES[path]!(host) : undefined;

/** How long a change of a file may take to arrive. */
const KEPT_SECONDS = 300;

/** Sends a file, or 204 for an empty one. */
export function sendFile(response: ServerResponse, { contentType, body }: HostFile, requestId: string): void {
  const described = body.length > 0 && { 'Content-Type': contentType, 'Content-Length': body.length };
  response.writeHead(described ? 200 : 204, {
    ...described,
    'Cache-Control': `public, max-age=${KEPT_SECONDS}`,
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  });
  response.end(body);
}
