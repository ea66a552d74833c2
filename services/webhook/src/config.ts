import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { apiConfig, brokerConfig, databaseConfig, processConfig, setting } from '@waymark/kernel/process/config';

const DOCUMENTED_SCHEDULE = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];

const seconds = (text: string) => (text === '' ? NaN : Number(text));

const networks = setting.commaList
  .default([])
  .refine((texts) => texts.every(ipaddr.isValidCIDR), 'must be networks such as 10.0.0.0/8');

export const webhookConfig = z.object({
  ...processConfig.shape,
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  /** base64 of 32 bytes; several with commas: the first encrypts, all decrypt. */
  WEBHOOK_SECRET_KEY: setting.sealingKeys,
  WEBHOOK_ALLOW_HTTP: setting.flag.default(false),
  /** Private networks (CIDR) that endpoints may be in. */
  WEBHOOK_ALLOWED_NETWORKS: networks,
  /** Networks (CIDR) that no endpoint may be in, such as the operator's public ones; they override the allowed ones. */
  WEBHOOK_DENIED_NETWORKS: networks,
  /** `address[:port]` of the name servers; by default those of the machine. */
  WEBHOOK_DNS_SERVERS: setting.nameServers.default([]),
  /** An HTTP proxy that makes the connections in place of this process. */
  WEBHOOK_PROXY_URL: setting
    .serverUrl(/^https?:$/, 'must be an http or https URL with a valid host and port')
    .optional(),
  /** Seconds between two attempts of a delivery; there is one attempt more than pauses. */
  WEBHOOK_RETRY_SCHEDULE: setting.commaList
    .transform((pauses) => pauses.map(seconds))
    .refine((pauses) => pauses.every((pause) => pause >= 0), 'must be seconds with commas')
    .default(DOCUMENTED_SCHEDULE),
  /** Concurrent deliveries of this process to one host, over all workspaces. */
  WEBHOOK_HOST_CONCURRENCY: setting.integer(1).default(100),
});
export type WebhookConfig = z.output<typeof webhookConfig>;
