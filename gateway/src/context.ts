import type { LeakyBuckets } from '@waymark/kernel/http/leaky-buckets';
import type { Log } from '@waymark/kernel/process/log';
import type { QuestionQueue } from './authorize/question-queue.js';
import type { GatewayConfig } from './config.js';
import type { AddressLimiter } from './limits/address-limiter.js';
import type { KnownCredentials } from './limits/known-credentials.js';
import type { Shares } from './limits/shares.js';
import type { ClientAddresses } from './pipeline/client-address.js';

export interface GatewayContext {
  config: GatewayConfig;
  log: Log;
  auth: QuestionQueue;
  addresses: ClientAddresses;
  addressLimiter: AddressLimiter;
  knownCredentials: KnownCredentials;
  /** Requests that auth refused, by user: over the rate limit, or to a workspace without access. */
  refusedRequests: LeakyBuckets;
  /** Memory of the bodies of unanswered requests. */
  bodyBytes: Shares;
}
