import type { Database } from '@waymark/kernel/mongo/database';
import type { WebhookConfig } from './config.js';
import type { AttemptStore } from './deliveries/attempt-store.js';
import type { DeliveryLog } from './deliveries/delivery-log.js';
import type { Purger } from './deliveries/purger.js';
import type { ReplayStore } from './deliveries/replay-store.js';
import type { Replayer } from './deliveries/replayer.js';
import type { EndpointStore } from './endpoints/endpoint-store.js';
import type { SecretKeeper } from './endpoints/secret-keeper.js';
import type { AddressPolicy } from './outbound/address-policy.js';
import type { EndpointLeases } from './sending/endpoint-leases.js';
import type { Engine } from './sending/engine.js';

export interface WebhookContext {
  config: WebhookConfig;
  db: Database;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  deliveryLog: DeliveryLog;
  replays: ReplayStore;
  replayer: Replayer;
  leases: EndpointLeases;
  engine: Engine;
  purger: Purger;
  secretKeeper: SecretKeeper;
  policy: AddressPolicy;
}
