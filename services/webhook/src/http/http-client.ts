import { Agent, type Dispatcher } from 'undici';
import type { AddressPolicy } from '@waymark/kernel/http/address-policy';
import { checkedConnector, directConnector } from './connector.js';
import { proxyConnector } from './proxy-connector.js';
import { createResolver } from './resolver.js';

/** Shorter than the limit of common servers, so that a server rarely closes a kept connection during a request. */
const IDLE_TIMEOUT_MS = 1000;
/** For a whole attempt (see `exchange.ts`). */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Those of undici would cover only parts of an attempt. */
const OPTIONS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
};

export interface HttpClientOptions {
  policy: AddressPolicy;
  nameServers: readonly string[];
  /** May contain a password. */
  proxyUrl?: string;
  timeoutMs: number;
}

export interface HttpClient {
  agent: Dispatcher;
  /** Makes a new connection for each request. */
  freshAgent: Dispatcher;
  timeoutMs: number;
  /** Ends the requests that are still open. */
  close(): Promise<void>;
}

export function createHttpClient({ policy, nameServers, proxyUrl, timeoutMs }: HttpClientOptions): HttpClient {
  const open = proxyUrl ? proxyConnector(proxyUrl) : directConnector(policy, createResolver(nameServers));
  const connect = checkedConnector(policy, open);
  const agent = new Agent({ connect, ...OPTIONS });
  const freshAgent = new Agent({ connect, pipelining: 0, ...OPTIONS });
  const close = async () => void (await Promise.all([agent.destroy(), freshAgent.destroy()]));
  return { agent, freshAgent, timeoutMs, close };
}
