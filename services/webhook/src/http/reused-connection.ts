import { buildConnector } from 'undici';

/** The message of undici when the receiver has closed the connection; otherwise a write or a read fails. */
const CLOSED = 'other side closed';
const RESET = new Set<unknown>(['ECONNRESET', 'EPIPE']);

/** The fields of undici's own errors. */
interface SocketFailure extends Error {
  code?: unknown;
  socket?: { bytesRead?: number };
}

/** Connects as undici does; the errors of its sockets say how many bytes had been read. */
export function createConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      socket?.on('error', (failure: SocketFailure) => (failure.socket ??= { bytesRead: socket.bytesRead }));
      callback(...result);
    });
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
