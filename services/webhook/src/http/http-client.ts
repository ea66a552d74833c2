import type { Dispatcher } from 'undici';
import { AddressPolicy } from './address-policy.js';
import { createGuardedAgent } from './guarded-agent.js';
import { createProxyAgent } from './proxy-agent.js';
import { createResolver } from './resolver.js';

export interface HttpClient {
  agent: Dispatcher;
  /** Makes a new connection for each request; absent if a proxy makes them. */
  freshAgent?: Dispatcher;
  policy: AddressPolicy;
  timeoutMs: number;
}

/** Plain data, which can be copied to a thread. */
export interface HttpClientOptions {
  allowedNetworks: readonly string[];
  deniedNetworks: readonly string[];
  nameServers: readonly string[];
  /** May contain a password. */
  proxyUrl?: string;
  timeoutMs: number;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { allowedNetworks, deniedNetworks, nameServers, proxyUrl, timeoutMs } = options;
  const policy = new AddressPolicy(allowedNetworks, deniedNetworks);
  if (proxyUrl) return { agent: createProxyAgent(proxyUrl), policy, timeoutMs };
  const resolve = createResolver(nameServers);
  return {
    agent: createGuardedAgent(policy, resolve),
    freshAgent: createGuardedAgent(policy, resolve, false),
    policy,
    timeoutMs,
  };
}
