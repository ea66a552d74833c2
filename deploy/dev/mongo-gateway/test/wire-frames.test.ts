import { deserialize, Long, serialize } from 'bson';
import { BsonFields } from '@waymark/mongo-gateway/bson-fields';
import { unpackSqlState } from '@waymark/mongo-gateway/error-codes';
import { FrameReader } from '@waymark/mongo-gateway/frames';

const section = (kind: number, bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([kind]), bytes]);

function message(...sections: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.alloc(4), ...sections]);
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + body.length, 0);
  head.writeInt32LE(7, 4);
  head.writeInt32LE(2013, 12);
  return Buffer.concat([head, body]);
}

function sequence(name: string, documents: object[]): Buffer {
  const bytes = Buffer.concat([Buffer.from(`${name}\0`), ...documents.map((document) => serialize(document))]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(4 + bytes.length);
  return Buffer.concat([length, bytes]);
}

test('a message that arrives byte by byte is read once it is whole', () => {
  const bytes = message(section(0, serialize({ ping: 1, $db: 'admin' })));
  const reader = new FrameReader();
  for (const byte of bytes.subarray(0, -1)) {
    reader.push(Buffer.from([byte]));
    expect(reader.next()).toBeUndefined();
  }
  reader.push(bytes.subarray(-1));
  expect(reader.next()).toMatchObject({ requestId: 7, legacy: false, unacknowledged: false });
});

test('a document sequence is handed on as the concatenated documents', () => {
  const reader = new FrameReader();
  const documents = [{ a: 1 }, { a: 2 }];
  reader.push(message(section(0, serialize({ insert: 'x' })), section(1, sequence('documents', documents))));
  const concatenated = Buffer.concat(documents.map((document) => serialize(document)));
  expect(reader.next()!.sequences.get('documents')).toEqual(concatenated);
});

test('a message with an impossible length is refused', () => {
  const reader = new FrameReader();
  reader.push(Buffer.from([1, 0, 0, 0]));
  expect(() => reader.next()).toThrow(RangeError);
});

test('fields of every BSON type are passed over in place and dropped by name', () => {
  const document = {
    insert: 'x',
    double: 1.5,
    nested: { list: [1, 'two', null] },
    regex: /^a/i,
    at: new Date(0),
    flag: true,
    long: Long.fromNumber(5),
    $db: 'main',
  };
  const fields = new BsonFields(Buffer.from(serialize(document)));
  expect([fields.first?.name, fields.string('$db'), fields.boolean('flag'), fields.bigint('long')]).toEqual([
    'insert',
    'main',
    true,
    5n,
  ]);
  const { $db: _dropped, long: _long, ...kept } = document;
  expect(deserialize(fields.without(new Set(['$db', 'long'])))).toEqual(kept);
});

test('a packed SQLSTATE is unpacked to its five characters', () => {
  expect(unpackSqlState(319029277)).toBe('M001C');
});
