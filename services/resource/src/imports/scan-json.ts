/** Where a JSON value begins and ends in the bytes. */
export interface Span {
  from: number;
  to: number;
}

/** The text is not JSON. */
export class InvalidJson extends Error {}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Returns the byte where the document begins: some programs put a byte order mark in front of it. */
export function startOf(bytes: Buffer): number {
  return skipSpace(bytes, bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0);
}

/**
 * Finds the members of an object, the last of each name, without building values: its memory does not depend on their
 * size. It does not validate members: `parseSpan` does.
 * @throws InvalidJson
 */
export function membersOf(bytes: Buffer): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipSpace(bytes, expectByte(bytes, startOf(bytes), OBJECT));
  if (bytes[at] === OBJECT_END) return expectEnd(bytes, at + 1, members);
  for (;;) {
    const name = spanAt(bytes, at);
    if (bytes[at] !== QUOTE) throw new InvalidJson();
    const from = skipSpace(bytes, expectByte(bytes, skipSpace(bytes, name.to), COLON));
    const value = spanAt(bytes, from);
    members.set(parseSpan(bytes, name) as string, value);
    at = skipSpace(bytes, value.to);
    if (bytes[at] === OBJECT_END) return expectEnd(bytes, at + 1, members);
    at = skipSpace(bytes, expectByte(bytes, at, COMMA));
  }
}

/** Yields the elements of a list. @throws InvalidJson */
export function* elementsOf(bytes: Buffer, list: Span): Generator<Span> {
  let at = skipSpace(bytes, expectByte(bytes, list.from, LIST));
  if (bytes[at] === LIST_END) return;
  for (;;) {
    const element = spanAt(bytes, at);
    yield element;
    at = skipSpace(bytes, element.to);
    if (bytes[at] === LIST_END) return;
    at = skipSpace(bytes, expectByte(bytes, at, COMMA));
  }
}

export const isList = (bytes: Buffer, { from }: Span): boolean => bytes[from] === LIST;

/** @throws InvalidJson */
export function parseSpan(bytes: Buffer, { from, to }: Span): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, to));
  } catch {
    throw new InvalidJson();
  }
}

/** Returns the span of the value that begins here; it counts brackets but does not match them. */
function spanAt(bytes: Buffer, from: number): Span {
  const first = bytes[from];
  if (first === QUOTE) return { from, to: endOfText(bytes, from) };
  if (first === OBJECT || first === LIST) return { from, to: endOfContainer(bytes, from) };
  let to = from;
  for (; to < bytes.length; to += 1) {
    const byte = bytes[to]!;
    if (byte === COMMA || byte === OBJECT_END || byte === LIST_END || byte === COLON || isSpace(byte)) break;
  }
  if (to === from) throw new InvalidJson();
  return { from, to };
}

function endOfContainer(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfText(bytes, at) - 1;
    else if (byte === OBJECT || byte === LIST) depth += 1;
    else if (byte === OBJECT_END || byte === LIST_END) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new InvalidJson();
}

function endOfText(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  throw new InvalidJson();
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function expectByte(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new InvalidJson();
  return at + 1;
}

function expectEnd<T>(bytes: Buffer, from: number, found: T): T {
  if (skipSpace(bytes, from) < bytes.length) throw new InvalidJson();
  return found;
}
