import { ProxyAgent, type Dispatcher } from 'undici';
import { CONNECT_TIMEOUT_MS, TLS_OPTIONS } from './connector.js';
import { CLIENT_OPTIONS } from './guarded-agent.js';

/**
 * Connects only to the operator's proxy. The proxy resolves the names, so it decides which addresses are allowed: this
 * process can refuse only addresses written in the URL.
 */
export function createProxyAgent(url: string): Dispatcher {
  const connection = { timeout: CONNECT_TIMEOUT_MS, allowH2: false, ...TLS_OPTIONS };
  const tls = { proxyTls: connection, requestTls: connection };
  // Tunnel `http:` too: otherwise the proxy's own answers would count as those of the receiver.
  return new ProxyAgent({ uri: url, proxyTunnel: true, ...tls, ...CLIENT_OPTIONS });
}
