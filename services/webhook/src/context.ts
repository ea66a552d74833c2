import type { Database } from '@waymark/shared/kernel/database';
import type { WebhookConfig } from './config.js';
import type { DeliveryStore } from './deliveries/delivery-store.js';
import type { EndpointStore } from './endpoints/endpoint-store.js';
import type { SecretBox } from './endpoints/secret-box.js';
import type { AddressPolicy } from './outbound/address-policy.js';
import type { Resolve } from './outbound/resolver.js';

export interface WebhookContext {
  config: WebhookConfig;
  db: Database;
  endpoints: EndpointStore;
  deliveries: DeliveryStore;
  secrets: SecretBox;
  policy: AddressPolicy;
  resolve: Resolve;
}
