import { LRUCache } from 'lru-cache';
import { NetworkBuckets } from '@waymark/kernel/limits/network-buckets';
import type { AuthorizeBatcher } from '../authorize/authorize-batcher.js';
import type { ClientAddresses } from './client-address.js';

/** OPTIONS costs little, and a browser sends it once for each path and ten minutes, for all users behind an address. */
const OPTIONS_FACTOR = 10;
const ACCEPTED = { max: 50_000, ttl: 10 * 60_000 };

/** The dependencies of the steps that a request passes before it is forwarded. */
export interface PipelineContext {
  authorizer: Pick<AuthorizeBatcher, 'authorizeRequest'>;
  addresses: ClientAddresses;
  /** Requests that auth was not asked about or has refused, by address. */
  unauthenticated: NetworkBuckets;
  preflights: NetworkBuckets;
  /** Hashes of credentials whose latest request auth has not refused. Auth is asked about each request all the same. */
  acceptedCredentials: LRUCache<string, true>;
}

export const newCounters = (unauthenticatedPerMinute: number) => ({
  unauthenticated: new NetworkBuckets(unauthenticatedPerMinute),
  preflights: new NetworkBuckets(unauthenticatedPerMinute * OPTIONS_FACTOR),
  acceptedCredentials: new LRUCache<string, true>(ACCEPTED),
});
