import { ProxyAgent, type Dispatcher } from 'undici';
import { CONNECT_TIMEOUT_MS, NO_PARTIAL_LIMITS } from './guard.js';

/**
 * Connects to the operator's proxy alone. It resolves the names, so it decides which addresses may be reached: here only
 * addresses written in the url can be refused.
 */
export function proxyAgent(url: string): Dispatcher {
  const timeout = { timeout: CONNECT_TIMEOUT_MS };
  return new ProxyAgent({ uri: url, proxyTls: timeout, requestTls: timeout, ...NO_PARTIAL_LIMITS });
}
