import type { LeakyBuckets } from '@waymark/shared/kernel/leaky-buckets';
import type { Log } from '@waymark/shared/kernel/log';
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
  /** Requests of each user that auth has refused: beyond their limit, or in a workspace of others. */
  refusedRequests: LeakyBuckets;
  /** Of the bodies that have not been answered. */
  bodyBytes: Shares;
}
