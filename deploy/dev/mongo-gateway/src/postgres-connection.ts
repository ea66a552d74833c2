import { connect, type Socket } from 'node:net';
import { ByteQueue } from './byte-queue.js';

/**
 * One connection of PostgreSQL's protocol 3.0, extended query, binary both ways.
 * The `pg` package decodes each column as UTF-8 text: BSON would travel as hex, at twice the size.
 */
export interface Statement {
  name: string;
  sql: string;
}

export type Row = (Buffer | null)[];

export interface Result {
  rows: Row[];
  /** PostgreSQL's command tag, e.g. `COMMIT`. */
  tag: string;
}

export class PostgresError extends Error {
  constructor(
    readonly sqlState: string,
    message: string,
    readonly detail: string,
  ) {
    super(message);
  }
}

/** The server is unavailable, which a driver must see as a network error. */
export class PostgresGone extends Error {}

interface Pending {
  /** Name of the statement that this request prepares, until the server has confirmed it. */
  preparing?: string;
  rows: Row[];
  tag: string;
  error?: PostgresError;
  done(result: Result): void;
  failed(error: Error): void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const PROTOCOL_3 = 196_608;

export class PostgresConnection {
  private readonly queue = new ByteQueue();
  private readonly pending: Pending[] = [];
  private readonly prepared = new Set<string>();
  private greeted?: { resolve(): void; reject(error: Error): void };
  closed = false;
  onClose: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.lost());
  }

  static async open(port: number, settings: Record<string, string>): Promise<PostgresConnection> {
    const socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy());
    const connection = new PostgresConnection(socket);
    await new Promise<void>((resolve, reject) => {
      connection.greeted = { resolve, reject };
      socket.once('connect', () => socket.write(startupMessage(settings)));
    });
    socket.setTimeout(0);
    return connection;
  }

  query(statement: Statement, values: (Buffer | null)[]): Promise<Result> {
    const known = this.prepared.has(statement.name);
    const parts = [bindMessage(statement.name, values), EXECUTE_AND_SYNC];
    if (known) return this.send(Buffer.concat(parts));
    this.prepared.add(statement.name);
    return this.send(Buffer.concat([parseMessage(statement), ...parts]), statement.name);
  }

  /** A statement without values, sent at once: the next query need not wait for its answer. */
  run(sql: string): Promise<Result> {
    return this.send(message('Q', cString(sql)));
  }

  destroy(): void {
    this.socket.destroy();
  }

  private send(bytes: Buffer, preparing?: string): Promise<Result> {
    if (this.closed) return Promise.reject(new PostgresGone('connection closed'));
    return new Promise((done, failed) => {
      this.pending.push({ preparing, rows: [], tag: '', done, failed });
      this.socket.write(bytes);
    });
  }

  private lost(): void {
    if (this.closed) return;
    this.closed = true;
    const gone = new PostgresGone('connection to PostgreSQL lost');
    this.greeted?.reject(gone);
    for (const request of this.pending.splice(0)) request.failed(gone);
    this.onClose();
  }

  private receive(chunk: Buffer): void {
    this.queue.push(chunk);
    for (;;) {
      const head = this.queue.peek(5);
      if (!head) return;
      const bytes = this.queue.take(1 + head.readInt32BE(1));
      if (!bytes) return;
      this.handle(String.fromCharCode(bytes[0]!), bytes.subarray(5));
    }
  }

  private handle(type: string, body: Buffer): void {
    if (this.greeted) return this.greet(type, body);
    const request = this.pending[0];
    if (!request) return;
    if (type === 'D') request.rows.push(parseRow(body));
    else if (type === '1') request.preparing = undefined;
    else if (type === 'C') request.tag = body.toString('utf8', 0, body.length - 1);
    else if (type === 'E') this.noteError(request, parseError(body));
    else if (type === 'Z') this.finish(request);
  }

  private greet(type: string, body: Buffer): void {
    if (type !== 'Z' && type !== 'E') return;
    if (type === 'Z') this.greeted?.resolve();
    else this.greeted?.reject(new PostgresGone(parseError(body).message));
    this.greeted = undefined;
    if (type === 'E') this.socket.destroy();
  }

  private noteError(request: Pending, error: PostgresError): void {
    request.error = error;
    if (request.preparing) this.prepared.delete(request.preparing);
  }

  private finish(request: Pending): void {
    this.pending.shift();
    if (request.error) request.failed(request.error);
    else request.done({ rows: request.rows, tag: request.tag });
  }
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(4 + parts.reduce((sum, part) => sum + part.length, 0), 1);
  return Buffer.concat([head, ...parts]);
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

const NO_PORTAL = cString('');
const EXECUTE_AND_SYNC = Buffer.concat([message('E', NO_PORTAL, Buffer.alloc(4)), message('S')]);
const BINARY_PARAMETERS = Buffer.from([0, 1, 0, 1]);
const BINARY_RESULTS = Buffer.from([0, 1, 0, 1]);
const NULL_LENGTH = Buffer.from([0xff, 0xff, 0xff, 0xff]);

function startupMessage(settings: Record<string, string>): Buffer {
  const pairs = Object.entries(settings).flatMap(([key, value]) => [cString(key), cString(value)]);
  const head = Buffer.alloc(8);
  head.writeInt32BE(9 + pairs.reduce((sum, pair) => sum + pair.length, 0), 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, ...pairs, Buffer.from([0])]);
}

function parseMessage(statement: Statement): Buffer {
  return message('P', cString(statement.name), cString(statement.sql), Buffer.alloc(2));
}

function bindMessage(name: string, values: (Buffer | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length, 0);
  const parts = [NO_PORTAL, cString(name), BINARY_PARAMETERS, count];
  for (const value of values) {
    if (value) parts.push(int32(value.length), value);
    else parts.push(NULL_LENGTH);
  }
  return message('B', ...parts, BINARY_RESULTS);
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value, 0);
  return bytes;
}

function parseRow(body: Buffer): Row {
  const row: Row = [];
  let offset = 2;
  for (let column = body.readInt16BE(0); column > 0; column--) {
    const length = body.readInt32BE(offset);
    offset += 4;
    row.push(length < 0 ? null : body.subarray(offset, offset + length));
    offset += Math.max(length, 0);
  }
  return row;
}

function parseError(body: Buffer): PostgresError {
  const fields = new Map<string, string>();
  for (let offset = 0; body[offset] !== 0;) {
    const end = body.indexOf(0, offset);
    fields.set(String.fromCharCode(body[offset]!), body.toString('utf8', offset + 1, end));
    offset = end + 1;
  }
  return new PostgresError(fields.get('C') ?? 'XX000', fields.get('M') ?? 'unknown error', fields.get('D') ?? '');
}
