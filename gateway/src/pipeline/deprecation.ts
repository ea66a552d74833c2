import type { RequestHandler } from 'express';
import { isVersioned, UNVERSIONED_PREFIX, V1_PREFIX } from '@waymark/contract/route';

/** The date when the unversioned routes became deprecated, as a structured-field date (RFC 9745): 2026-01-01. */
const DEPRECATED_SINCE = '@1767225600';

/** Characters that are invalid in a URI and would end the target of a `Link` header (RFC 8288). */
const ENDS_TARGET = /[<>"]/g;
/** A longer `Link` is omitted: proxies refuse responses with much larger headers. */
const TARGET_MAX = 2000;

/**
 * Adds headers to unversioned routes that announce their deprecation and their successor.
 * @param sunset the date from which the route may be removed (RFC 8594), once announced
 */
export function deprecation(sunset: Date | undefined): RequestHandler {
  return (request, response, next) => {
    if (!isVersioned(request.path)) {
      const path = request.url.slice(request.url.indexOf(UNVERSIONED_PREFIX));
      response.setHeader('Deprecation', DEPRECATED_SINCE);
      if (sunset) response.setHeader('Sunset', sunset.toUTCString());
      const successor = path.replace(UNVERSIONED_PREFIX, V1_PREFIX).replace(ENDS_TARGET, encodeURIComponent);
      if (successor.length <= TARGET_MAX) response.setHeader('Link', `<${successor}>; rel="successor-version"`);
    }
    next();
  };
}
