import { sanitizeQuery } from './query.js';

const LENGTH_MAX = 1024;
/** A dot segment that some server could read, because it decodes slashes before it splits the path. */
const HIDDEN_DOT_SEGMENT = /(?:\/|%2f|%5c)(?:\.|%2e){1,2}(?:$|\/|%2f|%5c)/i;

/**
 * Returns the path behind a short code in its normal form (WHATWG URL, without dot segments), to add to a destination.
 * Returns `undefined` for one that is too long, or that could lead out of the destination.
 * @param rest as the visitor sent it; it begins with `/`
 */
export function forwardedPath(rest: string): string | undefined {
  if (rest.length > LENGTH_MAX) return undefined;
  const path = URL.parse(`http://host${sanitizeQuery(rest)}`)?.pathname;
  return path === undefined || path.length > LENGTH_MAX || HIDDEN_DOT_SEGMENT.test(path) ? undefined : path;
}
