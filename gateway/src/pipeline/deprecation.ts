import type { RequestHandler } from 'express';
import { isVersioned, UNVERSIONED_PREFIX, V1_PREFIX } from '@waymark/shared/contract/route';

/** When the unversioned routes became deprecated, as a structured-field date (RFC 9745): 2026-01-01. */
const DEPRECATED_SINCE = '@1767225600';

/** Tells callers of an unversioned route that it is deprecated, and by what it is succeeded. */
export const deprecation: RequestHandler = (request, response, next) => {
  if (!isVersioned(request.path)) {
    const successor = request.url.slice(request.url.indexOf(UNVERSIONED_PREFIX)).replace(UNVERSIONED_PREFIX, V1_PREFIX);
    response.setHeader('Deprecation', DEPRECATED_SINCE);
    response.setHeader('Link', `<${successor}>; rel="successor-version"`);
  }
  next();
};
