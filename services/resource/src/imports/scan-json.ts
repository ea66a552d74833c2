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
  let offset = skipSpace(bytes, expectByte(bytes, startOf(bytes), OBJECT));
  if (bytes[offset] === OBJECT_END) return expectEnd(bytes, offset + 1, members);
  for (;;) {
    const name = spanAt(bytes, offset);
    if (bytes[offset] !== QUOTE) throw new InvalidJson();
    const from = skipSpace(bytes, expectByte(bytes, skipSpace(bytes, name.to), COLON));
    const value = spanAt(bytes, from);
    members.set(parseSpan(bytes, name) as string, value);
    offset = skipSpace(bytes, value.to);
    if (bytes[offset] === OBJECT_END) return expectEnd(bytes, offset + 1, members);
    offset = skipSpace(bytes, expectByte(bytes, offset, COMMA));
  }
}

/** Yields the elements of a list. @throws InvalidJson */
export function* elementsOf(bytes: Buffer, list: Span): Generator<Span> {
  let offset = skipSpace(bytes, expectByte(bytes, list.from, LIST));
  if (bytes[offset] === LIST_END) return;
  for (;;) {
    const element = spanAt(bytes, offset);
    yield element;
    offset = skipSpace(bytes, element.to);
    if (bytes[offset] === LIST_END) return;
    offset = skipSpace(bytes, expectByte(bytes, offset, COMMA));
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
  let end = from;
  for (; end < bytes.length; end += 1) {
    const byte = bytes[end]!;
    if (byte === COMMA || byte === OBJECT_END || byte === LIST_END || byte === COLON || isSpace(byte)) break;
  }
  if (end === from) throw new InvalidJson();
  return { from, to: end };
}

function endOfContainer(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let offset = from; offset < bytes.length; offset += 1) {
    const byte = bytes[offset]!;
    if (byte === QUOTE) offset = endOfText(bytes, offset) - 1;
    else if (byte === OBJECT || byte === LIST) depth += 1;
    else if (byte === OBJECT_END || byte === LIST_END) depth -= 1;
    if (depth === 0) return offset + 1;
  }
  throw new InvalidJson();
}

function endOfText(bytes: Buffer, from: number): number {
  for (let offset = from + 1; offset < bytes.length; offset += 1) {
    if (bytes[offset] === BACKSLASH) offset += 1;
    else if (bytes[offset] === QUOTE) return offset + 1;
  }
  throw new InvalidJson();
}

function skipSpace(bytes: Buffer, from: number): number {
  let offset = from;
  while (isSpace(bytes[offset])) offset += 1;
  return offset;
}

function expectByte(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new InvalidJson();
  return at + 1;
}

function expectEnd<T>(bytes: Buffer, from: number, found: T): T {
  if (skipSpace(bytes, from) < bytes.length) throw new InvalidJson();
  return found;
}
