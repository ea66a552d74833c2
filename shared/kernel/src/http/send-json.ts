import type { Response } from 'express';
import { yieldingToEventLoop } from '../async/yielding-to-event-loop.js';
import { sendStream } from './content.js';

/** A longer answer is written in pieces. */
const PIECE_LENGTH = 64 * 1024;
/** All of an answer is in memory until the client has read it. */
const READING_TIMEOUT_MS = 5 * 60_000;

interface AnswerMemory {
  /** Bounds how many answers wait for the estimate of their memory. @returns releases its place */
  reserveEstimate: () => Promise<() => void>;
  /** Reserves the memory of a long answer. @returns releases it */
  reserve: (bytes: number) => () => void;
}

/** Sends JSON; a long answer in pieces, between which other requests run. */
export async function sendJson(
  response: Response,
  body: unknown,
  { reserveEstimate, reserve }: AnswerMemory,
): Promise<void> {
  const pieces = jsonPieces(body);
  const first = pieces.next().value as string;
  const second = pieces.next();
  if (second.done) return void response.type('json').send(first);
  response.type('json');
  if (response.req.method === 'HEAD') return void response.end();
  const releaseEstimate = await reserveEstimate();
  const bytes = await textBytesIn(body).finally(releaseEstimate);
  // Nothing would release the reservation of an answer to a client that has disconnected meanwhile.
  if (response.destroyed) return;
  response.once('close', reserve(bytes));
  await sendStream(response, concatenated([first, second.value], pieces), { timeoutMs: READING_TIMEOUT_MS });
}

/** Memory of a value besides the characters of its texts: a number, or a reference to a text. */
const VALUE_BYTES = 8;
/** Memory of an empty object or list. */
const OBJECT_BYTES = 56;
/** Memory of a name in an object that shares its names with no other: its text, and its place in a hash table. */
const NAME_BYTES = 56;
/** A hundred conversions have up to 300,000 values, which take a tenth of a second. */
const VALUES_AT_ONCE = 1000;

/** Estimates the memory that a value takes, without building its JSON. */
export async function textBytesIn(body: unknown): Promise<number> {
  let bytes = 0;
  for await (const part of yieldingToEventLoop(partialBytes(body))) bytes += part;
  return bytes;
}

/** Yields the bytes of some values after the other. */
function* partialBytes(body: unknown): Generator<number> {
  let [bytes, valueCount] = [0, 0];
  const pending = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    bytes += VALUE_BYTES + (typeof value === 'string' ? value.length : 0);
    if (typeof value === 'object' && value !== null) {
      const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
      bytes += OBJECT_BYTES + (inner === value ? 0 : inner.length * NAME_BYTES);
      for (const each of inner) pending.push(each);
    }
    valueCount += 1;
    if (valueCount % VALUES_AT_ONCE !== 0) continue;
    yield bytes;
    bytes = 0;
  }
  yield bytes;
}

function* concatenated(start: string[], rest: Iterable<string>): Generator<string> {
  yield* start;
  yield* rest;
}

/** Yields the JSON of a value in pieces: as large as a list item, unless it contains lists of such items. */
export function* jsonPieces(body: unknown): Generator<string> {
  let piece = '';
  for (const part of jsonParts(body, 2)) {
    piece += part;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Descends `levels` levels of plain objects to find lists. */
function* jsonParts(value: unknown, levels: number): Generator<string> {
  if (Array.isArray(value)) yield* arrayParts(value);
  else if (levels > 0 && isPlain(value)) yield* objectParts(value, levels - 1);
  else yield JSON.stringify(value);
}

function* arrayParts(items: unknown[]): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + (JSON.stringify(item) ?? 'null');
    separator = ',';
  }
  yield items.length === 0 ? '[]' : ']';
}

function* objectParts(fields: object, levels: number): Generator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* jsonParts(value, levels);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
