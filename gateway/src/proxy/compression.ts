import type { IncomingMessage } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';
import { tagWithCoding } from '@waymark/kernel/http/entity-tag';

const THRESHOLD_BYTES = 1024;
/** Favours speed: all requests share zlib's thread pool. */
const GZIP_LEVEL = 4;
const BROTLI_QUALITY = 4;
/** 2^18 bytes: the default window takes megabytes per response in progress. */
const BROTLI_WINDOW_BITS = 18;

const shouldCompress = (request: Request, response: Response): boolean =>
  // A range refers to the stored, uncompressed bytes.
  response.statusCode !== 206 && compression.filter(request, response);

/**
 * Compressors of unfinished responses; each takes about 2 MB outside the heap until its client has read the response. Further
 * responses are sent as they are.
 */
const COMPRESSORS_MAX = 50;
let compressorCount = 0;

const compress: RequestHandler = compression({
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
  filter: shouldCompress,
});

/**
 * Compresses the response of a service for a client that accepts it and flushes each chunk, so that streams are not
 * delayed. Call it before the response has its headers.
 *
 * Small responses never get that far: `compression` assigns functions to each response, which V8 allocates in the old
 * generation with all that they refer to. That makes garbage collection several times as expensive.
 */
export function compressAnswer(answer: IncomingMessage, request: Request, response: Response): void {
  // The request has failed in the meantime, and the gateway has answered it.
  if (response.headersSent) return;
  varyByCoding(answer, response);
  const isSmall = Number(answer.headers['content-length']) < THRESHOLD_BYTES;
  if (isSmall || request.headers['accept-encoding'] === undefined) return;
  if (compressorCount >= COMPRESSORS_MAX) return;
  compressorCount += 1;
  response.once('close', () => (compressorCount -= 1));
  // Listeners run in reverse order: this one runs after `compression` has chosen the coding.
  onHeaders(response, () => tagByCoding(response));
  void compress(request, response, () => undefined);
}

/**
 * Adds the answer's `Vary` and our own to that of the response, which the answer's would replace. A 304 needs the same
 * `Vary` as the 200 (RFC 9110, 15.4.5).
 */
function varyByCoding({ headers }: IncomingMessage, response: Response): void {
  const names = (headers.vary ?? '').split(',').map((name) => name.trim());
  delete headers.vary;
  response.vary([...names.filter(Boolean), 'Accept-Encoding'].join(', '));
}

/** Gives each coding its own strong entity tag. */
function tagByCoding(response: Response): void {
  const tag = response.get('ETag');
  if (tag !== undefined) response.setHeader('ETag', tagWithCoding(tag, response.get('Content-Encoding')));
}
