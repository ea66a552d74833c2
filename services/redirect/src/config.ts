import { z } from 'zod';
import { brokerConfig, databaseConfig, processConfig, setting, shortHostConfig } from '@waymark/shared/kernel/config';
import { isNetwork } from './redirect/visitor-address.js';

const MIB = 1024 * 1024;

export const redirectConfig = z.object({
  ...processConfig.shape,
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  PORT: setting.port.default(8090),
  ...shortHostConfig.shape,
  /** Local and durable; one process at a time. */
  SPOOL_DIR: z.string(),
  SPOOL_SEGMENT_BYTES: setting.integer(1024).default(8 * MIB),
  /** Unconfirmed scans on disk; beyond it the disk counts as full. */
  SPOOL_MAX_BYTES: setting.integer(1024).default(10 * 1024 * MIB),
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  TRUSTED_PROXIES: setting.commaList
    .default(['loopback'])
    .refine((proxies) => proxies.every(isNetwork), 'must be addresses, networks or loopback, linklocal, uniquelocal'),
});
export type RedirectConfig = z.output<typeof redirectConfig>;
