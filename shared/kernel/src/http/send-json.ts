import type { Response } from 'express';
import { sendStream } from './content.js';

/** A longer answer is written in pieces. */
const PIECE_LENGTH = 64 * 1024;
/** All of an answer is in memory until the client has read it. */
const READING_TIMEOUT_MS = 5 * 60_000;

/** Sends JSON; a long answer in pieces, between which other requests run. */
export async function sendJson(response: Response, body: unknown): Promise<void> {
  const pieces = jsonPieces(body);
  const first = pieces.next().value as string;
  const second = pieces.next();
  if (second.done) return void response.type('json').send(first);
  response.type('json');
  if (response.req.method === 'HEAD') return void response.end();
  await sendStream(response, concatenated([first, second.value], pieces), { timeoutMs: READING_TIMEOUT_MS });
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
