import type { Duplex } from 'node:stream';

/** The message of undici when the receiver has closed the connection; otherwise a write or a read fails. */
const CLOSED = 'other side closed';
const RESET = new Set<unknown>(['ECONNRESET', 'EPIPE']);

/** The fields of undici's own errors. */
interface SocketFailure extends Error {
  code?: unknown;
  socket?: { bytesRead?: number };
}

/** Lets the errors of a socket say how many bytes had been read, as undici's own errors do. */
export function addBytesRead(socket: Duplex & { readonly bytesRead: number }): void {
  socket.on('error', (failure: SocketFailure) => (failure.socket ??= { bytesRead: socket.bytesRead }));
}

/** A reused connection was closed before it delivered any byte of this response. */
export class ReusedConnectionClosed extends Error {
  override readonly name = 'ReusedConnectionClosed';
}

/**
 * True if the connection was closed after it had delivered bytes; if none belongs to this response, an earlier one had
 * them. A receiver can close a kept connection at any time, also while the next request is on its way.
 */
export function hasReadBytes(error: unknown): boolean {
  const { code, message, socket } = error as SocketFailure;
  return (RESET.has(code) || message === CLOSED) && (socket?.bytesRead ?? 0) > 0;
}
