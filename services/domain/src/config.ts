import { z } from 'zod';
import { shortHostConfig } from '@waymark/contract/short-hosts';
import { apiConfig, brokerConfig, databaseConfig, processConfig, setting } from '@waymark/kernel/process/config';
import type { Schedule } from './checks/schedule.js';

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
  /** For TLS terminators; never reachable from outside. */
  TLS_ASK_PORT: setting.port.default(9091),
  /** The CNAME target of custom hostnames; by default the default short host. */
  CNAME_TARGET: z.string().optional(),
  /** Name servers as `address[:port]`, each queried separately; by default those of the machine, which count as one. */
  DNS_SERVERS: setting.nameServers.default([]),
  /** Time limit of one check, including all its queries. */
  DNS_TIMEOUT_MS: setting.integer(10).default(5000),
  /** Pauses between the first checks of a new verification. */
  FIRST_PAUSES_SECONDS: pauses.default([60, 300, 900, HOUR]),
  /** Pause after the first checks, and while the record is lost. */
  PAUSE_SECONDS: seconds.default(HOUR),
  /** Pause between checks of a verified domain, and of a failed one. */
  LONG_PAUSE_SECONDS: seconds.default(DAY),
  /** A domain that is not verified within this time fails. */
  VERIFY_WITHIN_SECONDS: seconds.default(3 * DAY),
  /** A domain fails when its record is missing for this long and in this many checks. */
  LOST_AFTER_SECONDS: seconds.default(3 * DAY),
  LOST_AFTER_MISSES: setting.integer(1).default(3),
  /** A failed domain is not checked beyond this time. */
  GIVE_UP_AFTER_SECONDS: seconds.default(30 * DAY),
  /** The minimum time between two look-ups of one domain, even if the client calls `verify` more often. */
  CHECK_INTERVAL_SECONDS: z.coerce.number().min(0).default(5),
  /** Maximum number of domains for a workspace whose plan has no limit. */
  DOMAINS_MAX: setting.integer(1).default(1000),
  CHECKS_AT_ONCE: setting.integer(1).default(20),
  CHECK_POLL_MS: setting.integer(5).default(1000),
  /** When a crashed process's check is repeated; well above DNS_TIMEOUT_MS. */
  CHECK_LEASE_MS: setting.integer(50).default(30_000),
});
export type DomainConfig = z.output<typeof domainConfig>;

export function checkSchedule(config: DomainConfig): Schedule {
  return {
    firstPausesMs: config.FIRST_PAUSES_SECONDS.map((seconds) => seconds * 1000),
    pauseMs: config.PAUSE_SECONDS * 1000,
    longPauseMs: config.LONG_PAUSE_SECONDS * 1000,
    verifyWithinMs: config.VERIFY_WITHIN_SECONDS * 1000,
    lostAfterMs: config.LOST_AFTER_SECONDS * 1000,
    lostAfterMisses: config.LOST_AFTER_MISSES,
    giveUpAfterMs: config.GIVE_UP_AFTER_SECONDS * 1000,
  };
}
