import type { LeakyBuckets } from '@waymark/kernel/limits/leaky-buckets';
import type { AuthorizeBatcher } from '../authorize/authorize-batcher.js';
import type { AddressLimiter } from '../limits/address-limiter.js';
import type { KnownCredentials } from '../limits/known-credentials.js';
import type { ClientAddresses } from './client-address.js';

/** The dependencies of the steps that a request passes before it is forwarded. */
export interface PipelineContext {
  authorizer: Pick<AuthorizeBatcher, 'authorizeRequest'>;
  addresses: ClientAddresses;
  addressLimiter: Pick<AddressLimiter, 'admitRequest' | 'countRequest' | 'refundRequest'>;
  optionsLimiter: Pick<AddressLimiter, 'admitRequest'>;
  knownCredentials: KnownCredentials;
  /** Requests that auth rejected, by user: over the rate limit, or to a workspace without access. */
  rejectedRequests: LeakyBuckets;
}
