import { z } from 'zod';
import { shortHostConfig } from '@waymark/contract/short-hosts';
import {
  apiConfig,
  brokerConfig,
  databaseConfig,
  destinationConfig,
  processConfig,
  setting,
} from '@waymark/kernel/process/config';

export const domainConfig = z.object({
  ...processConfig.shape,
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  ...shortHostConfig.shape,
  ...destinationConfig.shape,
  /** The QR codes deployment has no custom domains. */
  DEPLOYMENT: z.literal('links').default('links'),
  /** For TLS terminators; never reachable from outside. */
  TLS_ASK_PORT: setting.port.default(9091),
  /** The CNAME target of custom hostnames; by default the default short host. */
  CNAME_TARGET: z.string().optional(),
  /** Name servers as `address[:port]`, each queried separately; by default those of the machine, which count as one. */
  DNS_SERVERS: setting.nameServers.default([]),
});
export type DomainConfig = z.output<typeof domainConfig>;
