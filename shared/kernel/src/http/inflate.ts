import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AppError } from '../errors.js';

const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress)],
]);
const EXPANSION_MAX = 20;
/** Below this the ratio is not checked: a few repeated words already compress well. */
const EXPANSION_FREE_BYTES = 4096;

/** @throws AppError `unsupported_media_type` for a Content-Encoding that no decoder knows */
export function checkEncoding(encoding: string): void {
  if (encoding === 'identity' || DECODERS.has(encoding)) return;
  throw new AppError('unsupported_media_type', `The Content-Encoding must be ${[...DECODERS.keys()].join(', ')}.`);
}

/**
 * Decompresses in the thread pool and stops as soon as the output is longer than allowed.
 * @throws AppError `payload_too_large` for a body that expands too far, `bad_request` for a corrupt one
 */
export async function inflateBody(bytes: Buffer, encoding: string, limitBytes: number): Promise<Buffer> {
  const decode = DECODERS.get(encoding);
  if (!decode || bytes.length === 0) return bytes;
  const maxOutputLength = Math.min(limitBytes, Math.max(EXPANSION_FREE_BYTES, EXPANSION_MAX * bytes.length));
  try {
    return await decode(bytes, { maxOutputLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      throw new AppError('bad_request', `The body is not valid ${encoding}.`, { cause: error });
    throw new AppError('payload_too_large', `The body expands to more than ${maxOutputLength} bytes.`);
  }
}
