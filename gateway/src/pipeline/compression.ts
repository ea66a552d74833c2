import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';
import { tagWithCoding } from '@waymark/kernel/http/entity-tag';

const THRESHOLD_BYTES = 1024;
/** Favours speed: all requests share zlib's thread pool. */
const GZIP_LEVEL = 4;
const BROTLI_QUALITY = 4;
/** 2^18 bytes: the default window takes megabytes per response in progress. */
const BROTLI_WINDOW_BITS = 18;

/**
 * Compresses responses for clients that accept it and flushes each chunk, so that streams are not delayed. Each coding
 * has its own strong entity tag.
 */
export function compressResponses(): RequestHandler[] {
  const compress = compression({
    threshold: THRESHOLD_BYTES,
    level: GZIP_LEVEL,
    flush: constants.Z_SYNC_FLUSH,
    brotli: {
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      },
    },
    // A range refers to the stored, uncompressed bytes.
    filter: (request, response) => response.statusCode !== 206 && compression.filter(request, response),
  });
  return [tagCodings, compress];
}

/** Listeners run in reverse order: this one runs after `compression` has chosen the coding. */
const tagCodings: RequestHandler = (_request, response, next) => {
  onHeaders(response, () => tagCoding(response));
  next();
};

function tagCoding(response: Response): void {
  const [tag, coding] = [response.get('ETag'), response.get('Content-Encoding')];
  if (tag !== undefined && coding !== undefined) response.setHeader('ETag', tagWithCoding(tag, coding));
  // A 304 needs the same `Vary` as the 200 (RFC 9110, 15.4.5).
  if (response.statusCode === 304) response.vary('Accept-Encoding');
}
