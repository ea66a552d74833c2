import { z } from 'zod';
import {
  apiConfig,
  brokerConfig,
  databaseConfig,
  processConfig,
  setting,
  shortHostConfig,
} from '@waymark/shared/kernel/config';

const HOUR = 3600;
const DAY = 24 * HOUR;

const seconds = z.coerce.number().positive();
const pauses = setting.commaList
  .transform((texts) => texts.map(Number))
  .refine((numbers) => numbers.every((number) => number > 0), 'must be seconds with commas');

export const domainConfig = z.object({
  ...processConfig.shape,
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  ...shortHostConfig.shape,
  /** The QR codes deployment has no custom domains. */
  DEPLOYMENT: z.literal('links').default('links'),
  /** What custom hostnames point to; the default short host unless told. */
  CNAME_TARGET: z.string().optional(),
  /** `address[:port]` of the name servers to ask, each by itself; those of the machine, as one, unless told. */
  DNS_SERVERS: setting.nameServers.default([]),
  /** For one check. */
  DNS_TIMEOUT_MS: setting.integer(10).default(5000),
  /** Between the first checks of a domain that is to be verified. */
  FIRST_PAUSES_SECONDS: pauses.default([60, 300, 900, HOUR]),
  /** After those, and while the record is lost. */
  PAUSE_SECONDS: seconds.default(HOUR),
  /** Between checks of a verified domain, and of a failed one. */
  LONG_PAUSE_SECONDS: seconds.default(DAY),
  /** A domain that is not verified by then has failed. */
  VERIFY_WITHIN_SECONDS: seconds.default(3 * DAY),
  /** A record that is away for so long, and in so many checks, is lost. */
  LOST_AFTER_SECONDS: seconds.default(3 * DAY),
  LOST_AFTER_MISSES: setting.integer(1).default(3),
  /** A domain that has failed is checked no longer than this. */
  GIVE_UP_AFTER_SECONDS: seconds.default(30 * DAY),
  /** The shortest time between two look-ups of one domain, however often `verify` is called. */
  CHECK_INTERVAL_SECONDS: z.coerce.number().min(0).default(5),
  /** Domains of a workspace whose plan has no limit. */
  DOMAINS_MAX: setting.integer(1).default(1000),
  CHECKS_AT_ONCE: setting.integer(1).default(20),
  CHECK_POLL_MS: setting.integer(5).default(1000),
  /** After this a check whose process died is made again; well above DNS_TIMEOUT_MS. */
  CHECK_LEASE_MS: setting.integer(50).default(30_000),
});
export type DomainConfig = z.output<typeof domainConfig>;
