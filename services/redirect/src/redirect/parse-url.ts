import type { IncomingMessage } from 'node:http';

/** The target of a request, as far as links have it. */
export interface ParsedUrl {
  /** `undefined` for a path that no link can have. */
  path: Path | undefined;
  /** As it was sent, without the query. */
  pathname: string;
  query: string;
}

export interface Path {
  shortCode: string;
  isQr: boolean;
  /** What follows the code, as it was sent; it begins with `/`, or is empty. */
  rest: string;
}

/** `/{code}` or `/q/{code}`; a QR code in capitals takes fewer modules, so `/Q/` is the same. Some programs end paths with `/`. */
const PATH = /^\/(q\/)?([a-z0-9_-]{1,64})\/?$/i;
/**
 * The same with what programs make part of a link in a sentence: punctuation, quotes, spaces and characters without a
 * width. No code contains any of them.
 */
const PATH_IN_SENTENCE = /^(\/(?:q\/)?[a-z0-9_-]{1,64})[\s\p{P}\p{Sm}\p{Cf}]{1,16}$/iu;
/** A link with a path behind its code, which the link may pass on. */
const PATH_WITH_REST = /^\/(q\/)?([a-z0-9_-]{1,64})(\/.+)$/is;
/** Parameters behind `&`, or behind a `?` that was encoded. */
const MISTAKEN_QUERY = /&|%3f/i;

export function parseUrl(url: string): ParsedUrl {
  const queryAt = url.indexOf('?');
  const written = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? '' : url.slice(queryAt + 1);
  const path = parsePath(decode(written));
  return path ? { path, pathname: written, query } : { ...parseMistaken(written, query), pathname: written };
}

/** Reads a link that was copied with something around it. */
function parseMistaken(written: string, query: string): Omit<ParsedUrl, 'pathname'> {
  const mistake = MISTAKEN_QUERY.exec(written);
  const path = decode(mistake ? written.slice(0, mistake.index) : written);
  const ownQuery = mistake ? written.slice(mistake.index + mistake[0].length) : '';
  const found = parsePath(path) ?? parsePath(PATH_IN_SENTENCE.exec(path)?.[1] ?? '');
  if (found) return { path: found, query: [ownQuery, query].filter(Boolean).join('&') };
  return { path: parsePathWithRest(written), query };
}

function parsePathWithRest(written: string): Path | undefined {
  const [, qr, shortCode, rest] = PATH_WITH_REST.exec(written) ?? [];
  return shortCode === undefined ? undefined : { shortCode, isQr: qr !== undefined, rest: rest! };
}

function parsePath(path: string): Path | undefined {
  const match = PATH.exec(path);
  return match ? { shortCode: match[2]!, isQr: match[1] !== undefined, rest: '' } : undefined;
}

function decode(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

/** A proxy in front may have used the other one as the host (RFC 9112, 3.2). */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/** The host of a target in absolute form counts, not the header's (RFC 9112, 3.2.2). */
export function hostAndPathOf({ url, headers }: IncomingMessage): { host: string | undefined; path: string } {
  const absolute = ABSOLUTE_FORM.exec(url!);
  if (!absolute) return { host: headers.host, path: url! };
  const path = url!.slice(absolute[0].length);
  return { host: absolute[1], path: path.startsWith('/') ? path : `/${path}` };
}
