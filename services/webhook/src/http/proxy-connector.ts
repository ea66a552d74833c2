import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { CONNECT_TIMEOUT_MS, createTlsContext, hostOf, openConnections, type Connector } from './connector.js';

/** The proxy may not or cannot connect. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';

  constructor(readonly statusCode: number) {
    super(`the proxy answered ${statusCode}`);
  }
}

/** The proxy was not reached, or broke off. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly code = 'EPROXY';
}

export class ProxyTimeout extends Error {
  override readonly name = 'ProxyTimeout';
  readonly code = 'ETIMEDOUT';
}

/**
 * Connects only to the operator's proxy. The proxy resolves the names, so it decides which addresses are allowed: this
 * process can refuse only addresses written in the URL. The proxy opens tunnels for `http:` too: otherwise its own answers
 * would count as those of the receiver. The `ProxyAgent` of undici does not say which status the proxy answered.
 */
export function proxyConnector(url: string): Connector {
  const proxy = new URL(url);
  const secureContext = proxy.protocol === 'https:' ? createTlsContext() : undefined;
  const connectTls = openConnections();
  return (target, callback) => {
    const isSecure = target.protocol === 'https:';
    const { hostname, port } = target;
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    openTunnel({ proxy, secureContext, path: `${host}:${port || (isSecure ? '443' : '80')}` }).then(
      (socket) => (isSecure ? connectTls({ ...target, httpSocket: socket }, callback) : callback(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}

interface Tunnel {
  proxy: URL;
  /** Present for a proxy over TLS. */
  secureContext: SecureContext | undefined;
  /** The receiver's host and port. */
  path: string;
}

function openTunnel({ proxy, secureContext, path }: Tunnel): Promise<Socket> {
  const send = secureContext ? requestHttps : requestHttp;
  const host = hostOf(proxy);
  // By default Node takes the server name from the Host header, which names the receiver. If it is empty, Node verifies `host`.
  const servername = isIP(host) === 0 ? host : '';
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  return new Promise((resolve, reject) => {
    const request = send({
      ...{ host, servername, port: proxy.port, method: 'CONNECT', path, agent: false },
      ...{ headers: { host: path, ...(proxy.username && authorization) }, timeout: CONNECT_TIMEOUT_MS, secureContext },
    });
    request.on('connect', ({ statusCode }, socket: Socket, head) => {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      if (statusCode === 200) return resolve(socket);
      socket.on('error', () => undefined).destroy();
      reject(new ProxyRefusal(statusCode!));
    });
    request.on('timeout', () => request.destroy(new ProxyTimeout()));
    request.on('error', (error) => reject(error instanceof ProxyTimeout ? error : new ProxyFailure(error.message)));
    request.end();
  });
}
