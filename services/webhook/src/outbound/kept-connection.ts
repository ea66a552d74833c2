import { buildConnector } from 'undici';

/** As undici says it where it reads of the end; otherwise a write or a read fails. */
const CLOSED = 'other side closed';
const RESET = new Set<unknown>(['ECONNRESET', 'EPIPE']);

/** As undici's own errors tell of their socket. */
interface SocketFailure extends Error {
  code?: unknown;
  socket?: { bytesRead?: number };
}

/** Connects as undici does; the errors of its sockets tell what had been read by then. */
export function tellingConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      socket?.on('error', (failure: SocketFailure) => (failure.socket ??= { bytesRead: socket.bytesRead }));
      callback(...result);
    });
}

/** A connection ended that had brought an answer before, and nothing of this one. */
export class KeptConnectionEnded extends Error {
  override readonly name = 'KeptConnectionEnded';
}

/**
 * Whether a connection ended that had brought something: without anything of this answer, it is one before. A receiver ends
 * a connection it has kept open long enough at any time, also while the next request is on its way.
 */
export function hadBrought(error: unknown): boolean {
  const { code, message, socket } = error as SocketFailure;
  return (RESET.has(code) || message === CLOSED) && (socket?.bytesRead ?? 0) > 0;
}
