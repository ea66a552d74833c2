import { ProxyAgent, type Dispatcher } from 'undici';
import { CONNECT_TIMEOUT_MS, CLIENT_OPTIONS } from './guard.js';

/**
 * Connects to the operator's proxy alone. It resolves the names, so it decides which addresses may be reached: here only
 * addresses written in the url can be refused.
 */
export function proxyAgent(url: string): Dispatcher {
  const connection = { timeout: CONNECT_TIMEOUT_MS, allowH2: false };
  const tls = { proxyTls: connection, requestTls: connection };
  // A tunnel for `http:` too: otherwise the proxy's own answers would count as those of the receiver.
  return new ProxyAgent({ uri: url, proxyTunnel: true, ...tls, ...CLIENT_OPTIONS });
}
