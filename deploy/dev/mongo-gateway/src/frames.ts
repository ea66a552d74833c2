import { ByteQueue } from './byte-queue.js';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const MESSAGE_BYTES_MAX = 48_000_000;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;

export interface Frame {
  requestId: number;
  /** Legacy OP_QUERY: the first `hello` of a driver; answered with OP_REPLY. */
  legacy: boolean;
  /** The client waits for no reply (write concern 0). */
  unacknowledged: boolean;
  body: Buffer;
  /** Kind 1 sections: the concatenated documents by field name. */
  sequences: Map<string, Buffer>;
}

export class FrameReader {
  private readonly queue = new ByteQueue();

  push(chunk: Buffer): void {
    this.queue.push(chunk);
  }

  next(): Frame | undefined {
    const length = this.queue.peek(4)?.readInt32LE(0);
    if (length === undefined) return undefined;
    if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) throw new RangeError(`message of ${length} bytes`);
    const message = this.queue.take(length);
    return message && parseFrame(message);
  }
}

function parseFrame(message: Buffer): Frame {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === OP_MSG) return parseMsg(requestId, message);
  if (opCode === OP_QUERY) return parseQuery(requestId, message);
  throw new RangeError(`unknown opcode ${opCode}`);
}

function parseMsg(requestId: number, message: Buffer): Frame {
  const flags = message.readUInt32LE(HEADER_BYTES);
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  const sequences = new Map<string, Buffer>();
  let body: Buffer | undefined;
  let offset = HEADER_BYTES + 4;
  while (offset < end) {
    const kind = message[offset]!;
    const length = message.readInt32LE(offset + 1);
    const section = message.subarray(offset + 1, offset + 1 + length);
    if (kind === 0) body = section;
    else addSequence(sequences, section);
    offset += 1 + length;
  }
  if (!body) throw new RangeError('message without a body');
  return { requestId, legacy: false, unacknowledged: (flags & MORE_TO_COME) !== 0, body, sequences };
}

function addSequence(sequences: Map<string, Buffer>, section: Buffer): void {
  const nameEnd = section.indexOf(0, 4);
  sequences.set(section.toString('utf8', 4, nameEnd), section.subarray(nameEnd + 1));
}

function parseQuery(requestId: number, message: Buffer): Frame {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  const bodyStart = nameEnd + 1 + 8;
  const body = message.subarray(bodyStart, bodyStart + message.readInt32LE(bodyStart));
  return { requestId, legacy: true, unacknowledged: false, body, sequences: new Map() };
}

/** The head of a reply; the document's own bytes follow it on the socket. */
export function replyHead(frame: Frame, document: Buffer): Buffer {
  const head = Buffer.alloc(frame.legacy ? HEADER_BYTES + 20 : HEADER_BYTES + 5);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(frame.requestId, 8);
  head.writeInt32LE(frame.legacy ? OP_REPLY : OP_MSG, 12);
  if (frame.legacy) head.writeInt32LE(1, HEADER_BYTES + 16);
  return head;
}
