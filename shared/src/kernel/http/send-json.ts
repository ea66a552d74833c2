import type { Response } from 'express';
import { sendStream } from './content.js';

/** A list that is longer is written in pieces. */
const ITEMS_AT_ONCE_MAX = 20;
const PIECE_LENGTH = 64 * 1024;
/** All of a list is in memory until the client has read it. */
const LIST_TIMEOUT_MS = 5 * 60_000;

/**
 * Sends JSON; long lists in pieces, between which other requests get their turn.
 * @param reserve takes a place among those who read such a list, and returns what gives it back
 */
export async function sendJson(response: Response, body: unknown, reserve: () => () => void): Promise<void> {
  if (!hasLongList(body)) return void response.json(body);
  const pieces = jsonPieces(body);
  const first = pieces.next().value as string;
  const second = pieces.next();
  if (second.done) return void response.type('json').send(first);
  response.type('json');
  if (response.req.method === 'HEAD') return void response.end();
  response.once('close', reserve());
  await sendStream(response, concatenated([first, second.value], pieces), {}, LIST_TIMEOUT_MS);
}

/** In `data`, or in a field of it. */
function hasLongList(body: unknown): boolean {
  const { data } = (body ?? {}) as { data?: unknown };
  const lists = Array.isArray(data) ? [data] : Object.values(data ?? {});
  return lists.some((list) => Array.isArray(list) && list.length > ITEMS_AT_ONCE_MAX);
}

function* concatenated(start: string[], rest: Iterable<string>): Generator<string> {
  yield* start;
  yield* rest;
}

/** The JSON of a value that is no larger than an item of a list, or holds such lists, in pieces of some length. */
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

/** Goes so many levels of plain objects down to find lists. */
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
