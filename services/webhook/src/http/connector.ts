import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { constants } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { HandshakePaused, HandshakePauses } from './handshake-pauses.js';
import { LimitedConnection } from './limited-connection.js';
import { addBytesRead } from './reused-connection.js';

export const CONNECT_TIMEOUT_MS = 5000;

const TLS_OPTIONS = {
  /**
   * Over a finite field the receiver chooses the group of a Diffie-Hellman exchange, which may cost this process 0.6 s of
   * CPU for each connection. Elliptic curves take a millisecond at most.
   */
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519MLKEM768:X25519:P-256:P-384',
  /** A receiver with TLS 1.2 could demand any number of handshakes in one connection. */
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** Creates a context for many connections: one of its own takes 18 kB of native memory. */
export const createTlsContext = (): SecureContext => createSecureContext(TLS_OPTIONS);

const buildTlsConnector = (): buildConnector.connector =>
  buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, secureContext: createTlsContext() });

/** Connects as undici does, over sockets that are opened in this way, and limits what a receiver sends over them. */
export function createConnector(openSocket: buildConnector.connector): buildConnector.connector {
  const pauses = new HandshakePauses();
  let connectTls: buildConnector.connector | undefined;
  return (target, callback) => {
    const isSecure = target.protocol === 'https:';
    const port = target.port || (isSecure ? '443' : '80');
    const origin = `${target.hostname}:${port}`;
    const connected: buildConnector.Callback = (...result) => {
      const [, socket] = result;
      if (socket) addBytesRead(socket);
      callback(...result);
    };
    if (isSecure && pauses.hasPause(origin)) return callback(new HandshakePaused(), null);
    openSocket({ ...target, port, protocol: 'http:' }, (...opened) => {
      const [, socket] = opened;
      if (!socket) return callback(...opened);
      const connection = new LimitedConnection(socket, () => pauses.hasPause(origin));
      const httpSocket = connection as Duplex as Socket;
      if (!isSecure) {
        connection.startRequests();
        return connected(null, httpSocket);
      }
      connectTls ??= buildTlsConnector();
      connectTls({ ...target, httpSocket }, (...secured) => {
        const [, secureSocket] = secured;
        if (secureSocket) connection.startRequests(secureSocket);
        else pauses.addFailure(origin, connection.handshakeCpuMs);
        connected(...secured);
      });
    });
  };
}
