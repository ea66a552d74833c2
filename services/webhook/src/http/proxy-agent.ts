import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { CONNECT_TIMEOUT_MS, createConnector, createTlsContext } from './connector.js';
import { CLIENT_OPTIONS, hostOf } from './guarded-agent.js';
import { ProxyFailure, ProxyRefusal, ProxyTimeout } from './proxy-errors.js';

/**
 * Connects only to the operator's proxy. The proxy resolves the names, so it decides which addresses are allowed: this
 * process can refuse only addresses written in the URL. The proxy opens tunnels for `http:` too: otherwise its own answers
 * would count as those of the receiver. The tunnels of undici's `ProxyAgent` could not be limited.
 */
export function createProxyAgent(url: string): Dispatcher {
  const proxy = new URL(url);
  const secureContext = proxy.protocol === 'https:' ? createTlsContext() : undefined;
  const connect = createConnector(({ hostname, port }, callback) => {
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    openTunnel({ proxy, secureContext, path: `${host}:${port}` }).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  });
  return new Agent({ connect, ...CLIENT_OPTIONS });
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
