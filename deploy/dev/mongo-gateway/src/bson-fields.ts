/**
 * Top-level fields of a BSON document without decoding it (bsonspec.org, version 1.1):
 * payloads pass through the gateway as the bytes they came in.
 */
export interface BsonField {
  name: string;
  type: number;
  elementStart: number;
  start: number;
  end: number;
}

const DOUBLE = 0x01;
const STRING = 0x02;
const BINARY = 0x05;
const BOOLEAN = 0x08;
const REGEX = 0x0b;
const INT32 = 0x10;
const INT64 = 0x12;
const FIXED_LENGTHS = new Map([
  [DOUBLE, 8],
  [0x06, 0],
  [0x07, 12],
  [BOOLEAN, 1],
  [0x09, 8],
  [0x0a, 0],
  [INT32, 4],
  [0x11, 8],
  [INT64, 8],
  [0x13, 16],
  [0x7f, 0],
  [0xff, 0],
]);

export class BsonFields {
  private readonly byName = new Map<string, BsonField>();

  constructor(readonly bytes: Buffer) {
    let offset = 4;
    while (bytes[offset] !== 0) {
      const field = readField(bytes, offset);
      this.byName.set(field.name, field);
      offset = field.end;
    }
  }

  get first(): BsonField | undefined {
    return this.byName.values().next().value;
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  string(name: string): string | undefined {
    const field = this.byName.get(name);
    return field?.type === STRING ? this.bytes.toString('utf8', field.start + 4, field.end - 1) : undefined;
  }

  boolean(name: string): boolean | undefined {
    const field = this.byName.get(name);
    return field?.type === BOOLEAN ? this.bytes[field.start] === 1 : undefined;
  }

  bigint(name: string): bigint | undefined {
    const field = this.byName.get(name);
    if (field?.type === INT64) return this.bytes.readBigInt64LE(field.start);
    if (field?.type === INT32) return BigInt(this.bytes.readInt32LE(field.start));
    return field?.type === DOUBLE ? BigInt(Math.trunc(this.bytes.readDoubleLE(field.start))) : undefined;
  }

  /** The raw value: of a document or an array, a whole BSON document; of a binary, its bytes. */
  raw(name: string): Buffer | undefined {
    const field = this.byName.get(name);
    return field && this.bytes.subarray(field.type === BINARY ? field.start + 5 : field.start, field.end);
  }

  without(dropped: ReadonlySet<string>): Buffer {
    const kept: Buffer[] = [];
    for (const field of this.byName.values()) {
      if (!dropped.has(field.name)) kept.push(this.bytes.subarray(field.elementStart, field.end));
    }
    return joinElements(kept);
  }
}

export function joinElements(elements: Buffer[]): Buffer {
  const length = elements.reduce((sum, element) => sum + element.length, 5);
  const document = Buffer.allocUnsafe(length);
  document.writeInt32LE(length, 0);
  let offset = 4;
  for (const element of elements) offset += element.copy(document, offset);
  document[offset] = 0;
  return document;
}

function readField(bytes: Buffer, elementStart: number): BsonField {
  const type = bytes[elementStart]!;
  const nameEnd = endOfCString(bytes, elementStart + 1);
  const start = nameEnd + 1;
  const end = start + valueLength(bytes, type, start);
  if (end >= bytes.length) throw new RangeError('BSON element passes the end of its document');
  return { name: bytes.toString('utf8', elementStart + 1, nameEnd), type, elementStart, start, end };
}

function valueLength(bytes: Buffer, type: number, start: number): number {
  const fixed = FIXED_LENGTHS.get(type);
  if (fixed !== undefined) return fixed;
  switch (type) {
    case STRING:
    case 0x0d:
    case 0x0e:
      return 4 + bytes.readInt32LE(start);
    case 0x03:
    case 0x04:
    case 0x0f:
      return bytes.readInt32LE(start);
    case BINARY:
      return 5 + bytes.readInt32LE(start);
    case 0x0c:
      return 16 + bytes.readInt32LE(start);
    case REGEX:
      return endOfCString(bytes, endOfCString(bytes, start) + 1) + 1 - start;
    default:
      throw new RangeError(`unknown BSON type ${type}`);
  }
}

function endOfCString(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from);
  if (end < 0) throw new RangeError('unterminated BSON string');
  return end;
}
