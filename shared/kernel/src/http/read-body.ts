import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { AppError } from '../errors.js';
import { checkEncoding, inflateBody } from './inflate.js';
import { parseJson } from './json.js';

const BODY_TIMEOUT_MS = 10_000;
export const LARGE_BODY_TIMEOUT_MS = 60_000;
/** A route that takes more than this takes large bodies. */
export const LARGE_BODY_BYTES = 64 * 1024;

export interface BodyOptions {
  limitBytes: number;
  /** Media types that a body may have. */
  types: readonly string[];
  /** `none`: a GET, whose body has no meaning (RFC 9110, 9.3.1) and is discarded; `raw`: the handler parses it. */
  format: 'json' | 'raw' | 'none';
  /** Checks the bytes of a body as they were sent. */
  onBytes?: (bytes: Buffer) => void;
}

/**
 * Reads a body within its limits of bytes, values and time; refuses it before any of them is exceeded.
 * @returns `undefined` where none was sent; of the format `raw` the bytes
 */
export async function readBody(request: Request, options: BodyOptions): Promise<unknown> {
  const { limitBytes, format } = options;
  if (!hasBody(request)) return format === 'raw' ? Buffer.alloc(0) : undefined;
  checkHeaders(request, options);
  if (format === 'none') {
    await receive(request, limitBytes, () => undefined);
    return undefined;
  }
  const sent = await collectBody(request, limitBytes);
  options.onBytes?.(sent);
  const bytes = await inflateBody(sent, encodingOf(request), limitBytes);
  return format === 'raw' ? checkUtf8(bytes) : parsed(bytes);
}

const parsed = (bytes: Buffer): unknown => (bytes.length === 0 ? {} : parseJson(bytes));

/** Decoding would replace malformed bytes silently. */
function checkUtf8(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw new AppError('bad_request', 'The body is not valid JSON.');
  return bytes;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Also checks a body that the route does not need: one of another type was sent by mistake. */
function checkHeaders(request: Request, { limitBytes, types }: BodyOptions): void {
  if (!request.is([...types])) {
    throw new AppError('unsupported_media_type', 'The body must be JSON (Content-Type: application/json).');
  }
  // RFC 8259, 8.1.
  if (/charset="?(?!utf-?8\b)/i.test(request.headers['content-type']!)) {
    throw new AppError('unsupported_media_type', 'The body must be JSON in UTF-8.');
  }
  checkEncoding(encodingOf(request));
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
}

const encodingOf = ({ headers }: Request): string => headers['content-encoding']?.toLowerCase() ?? 'identity';

const tooLarge = (limitBytes: number) =>
  new AppError('payload_too_large', `The body must be at most ${limitBytes} bytes.`);

const FIRST_BYTES = 4096;

/**
 * Returns the body as it was sent. Collects into one growing buffer: a list of one-byte chunks would take a hundred times as much
 * memory.
 * @throws AppError `payload_too_large`, `request_timeout`; `bad_request` when the connection closes before the end
 */
export async function collectBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  // No later event would end the wait for the body.
  if (request.destroyed) throw closed();
  let bytes = Buffer.allocUnsafeSlow(Math.min(FIRST_BYTES, limitBytes));
  let length = 0;
  await receive(request, limitBytes, (chunk) => {
    const needed = length + chunk.length;
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(limitBytes, Math.max(needed, 2 * bytes.length)));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    length += chunk.copy(bytes, length);
  });
  return bytes.subarray(0, length);
}

/** Calls `take` with each chunk; discards the rest of a refused body as it arrives. */
function receive(request: IncomingMessage, limitBytes: number, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeoutMs = limitBytes > LARGE_BODY_BYTES ? LARGE_BODY_TIMEOUT_MS : BODY_TIMEOUT_MS;
    const timer = setTimeout(() => stop(overdue()), timeoutMs);
    let received = 0;
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (received > limitBytes) stop(tooLarge(limitBytes));
      else take(chunk);
    };
    const onEnd = () => stop();
    const onClose = () => stop(closed());
    const stop = (error?: AppError) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      request.resume();
      if (error) reject(error);
      else resolve();
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

const closed = () => new AppError('bad_request', 'The connection closed before the body was complete.');
const overdue = () =>
  new AppError('request_timeout', 'The request was not completed in time.', { headers: { Connection: 'close' } });
