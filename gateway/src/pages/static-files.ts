import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { tagWithCoding } from '@waymark/kernel/http/entity-tag';
import { answerMethods, refuseMethod } from '@waymark/kernel/http/router';

/** The built files of all pages; the same folder for sources and for compiled code. */
export const PUBLIC_FOLDER = join(__dirname, '../../dist/public');

export const PAGE_METHODS = 'GET, HEAD';
const CODINGS = { br: '.br', gzip: '.gz' } as const;
/** The smallest first. */
const COMPRESSED = Object.keys(CODINGS) as (keyof typeof CODINGS)[];
type Coding = keyof typeof CODINGS | 'identity';
/** The quality of what is compressed at startup; the best one would take seconds. */
const BROTLI_QUALITY = 5;

/** The bytes of one text in each coding. */
type Codings = Partial<Record<Coding, Buffer>>;

interface StaticFile {
  type: string;
  tag: string;
  bytes: Codings;
}

/**
 * Serves the files of a folder from memory, compressed in advance. Reading them again could fail while requests are
 * answered; all of them together are a few megabytes.
 */
export function staticFiles(folder: string, cacheControl: string): Router {
  const router = Router({ caseSensitive: true });
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.') || /\.(br|gz)$/.test(name)) continue;
    const path = name === 'index.html' ? '/' : `/${name}`;
    servePage(router, path, sendFile(readFile(join(folder, name)), cacheControl));
  }
  return router;
}

/** Mounts a page or file for GET and HEAD; another method answers 405 with `Allow`. */
export function servePage(router: Router, path: string | RegExp, send: RequestHandler): void {
  router.route(path).get(send).options(answerMethods(PAGE_METHODS)).all(refuseMethod(PAGE_METHODS));
}

function readFile(file: string): StaticFile {
  const identity = readFileSync(file);
  const bytes: Codings = { identity };
  for (const [coding, extension] of Object.entries(CODINGS)) {
    if (existsSync(file + extension)) bytes[coding as Coding] = readFileSync(file + extension);
  }
  const tag = `"${hash('sha256', identity, 'base64url').slice(0, 16)}"`;
  return { type: extname(file), tag, bytes };
}

function sendFile({ type, tag, bytes }: StaticFile, cacheControl: string): RequestHandler {
  return (request, response) => {
    response.set('Cache-Control', cacheControl).type(type);
    const chosen = chooseCoding(bytes, request, response);
    response.set('ETag', tagWithCoding(tag, response.get('Content-Encoding')));
    if (isUnchanged(request, tag)) return void endUnchanged(response);
    response.end(request.method === 'HEAD' ? undefined : chosen);
  };
}

/** Compresses a text once, for every response: a compressor for each would be held by clients that do not read. */
export function encodeText(text: string): Codings {
  const identity = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return { identity, br: brotliCompressSync(identity, { params }), gzip: gzipSync(identity) };
}

/** Sets the headers of the smallest coding that the client accepts. @returns the bytes in that coding */
export function chooseCoding(bytes: Codings, request: Request, response: Response): Buffer {
  const coding = COMPRESSED.find((each) => bytes[each] !== undefined && request.acceptsEncodings(each));
  response.vary('Accept-Encoding');
  if (coding !== undefined) response.set('Content-Encoding', coding);
  return bytes[coding ?? 'identity']!;
}

/** The tag of each coding names the same file. */
function isUnchanged(request: Request, tag: string): boolean {
  const wanted = (request.get('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return [tag, ...Object.keys(CODINGS).map((coding) => tagWithCoding(tag, coding))].some((each) =>
    wanted.includes(each),
  );
}

function endUnchanged(response: Response): void {
  response.removeHeader('Content-Type');
  response.status(304).end();
}
