import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { threadCpuMs } from '@waymark/kernel/process/thread-cpu';
import { HandshakePaused } from './handshake-pauses.js';
import { queueHandshake } from './handshake-queue.js';

/** Certificate chains have 2 to 10 kB; OpenSSL alone would verify up to 100 kB of them. */
const HANDSHAKE_BYTES_MAX = 16 * 1024;
/** The headers of a response have at most 16 KiB, and of its body 8 KiB are read. */
const RESPONSE_BYTES_MAX = 256 * 1024;

export class HandshakeTooLarge extends Error {
  override readonly name = 'HandshakeTooLarge';
  readonly code = 'EHANDSHAKESIZE';
}

/** Only an endless series of line ends, chunk extensions, headers, trailers or TLS records has this size. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly code = 'ERESPONSESIZE';
}

/**
 * Passes the bytes of a socket on, and ends it when the receiver sends more than a handshake or the response to one
 * request may have: neither OpenSSL nor the HTTP parser has such a limit.
 */
export class LimitedConnection extends Duplex {
  /** CPU time that the bytes of the handshake took. */
  handshakeCpuMs = 0;
  /** What the requests are written to, once they may be: this connection or the TLS socket above it. */
  private client: { readonly bytesWritten: number } | null = null;
  private receivedBytes = 0;
  private writtenBytes = 0;

  /** @param hasPause true if the handshake must not continue */
  constructor(
    private readonly socket: Socket,
    private readonly hasPause: () => boolean,
  ) {
    super({ allowHalfOpen: false });
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Ends the handshake, if there was any. */
  startRequests(client: { readonly bytesWritten: number } = this): void {
    this.client = client;
    this.receivedBytes = 0;
  }

  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  get bytesWritten(): number {
    return this.socket.bytesWritten;
  }

  ref(): this {
    this.socket.ref();
    return this;
  }

  unref(): this {
    this.socket.unref();
    return this;
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, encoding, done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    this.socket.cork();
    for (const [index, { chunk, encoding }] of chunks.entries())
      this.socket.write(chunk, encoding, index === chunks.length - 1 ? done : undefined);
    this.socket.uncork();
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }

  private receive(chunk: Buffer): void {
    const written = this.client?.bytesWritten ?? 0;
    if (written !== this.writtenBytes) this.receivedBytes = 0;
    this.writtenBytes = written;
    this.receivedBytes += chunk.length;
    if (this.client) this.passResponse(chunk);
    else if (this.receivedBytes > HANDSHAKE_BYTES_MAX) this.destroy(new HandshakeTooLarge());
    else {
      this.socket.pause();
      queueHandshake(() => this.passHandshake(chunk));
    }
  }

  private passResponse(chunk: Buffer): void {
    if (this.receivedBytes > RESPONSE_BYTES_MAX) this.destroy(new ResponseTooLarge());
    else if (!this.push(chunk)) this.socket.pause();
  }

  private passHandshake(chunk: Buffer): void {
    if (this.destroyed) return;
    if (this.hasPause()) return void this.destroy(new HandshakePaused());
    const before = threadCpuMs();
    this.push(chunk);
    this.handshakeCpuMs += threadCpuMs() - before;
  }
}
