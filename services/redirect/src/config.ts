import { z } from 'zod';
import { shortHostConfig, shortHostTest } from '@waymark/contract/short-hosts';
import { httpUrl } from '@waymark/contract/url';
import { brokerConfig, databaseConfig, processConfig, setting } from '@waymark/kernel/process/config';
import { isNetwork } from './redirect/visitor-address.js';

const GIB = 1024 ** 3;

const settings = z.object({
  ...processConfig.shape,
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  PORT: setting.port.default(8090),
  ...shortHostConfig.shape,
  /** Local and durable; one process at a time. */
  SPOOL_DIR: z.string(),
  /** Unconfirmed scans on disk; beyond it the disk counts as full. */
  SPOOL_MAX_BYTES: setting.integer(1024).default(10 * GIB),
  /** Requests of one visitor (an IPv6 /64) for codes and hosts that do not exist. */
  VISITOR_MISSES_PER_MINUTE: setting.integer(1).default(60),
  /** Open connections; further ones are closed at once. */
  CONNECTIONS_MAX: setting.integer(1).default(10_000),
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  TRUSTED_PROXIES: setting.commaList
    .default(['loopback'])
    .refine((proxies) => proxies.every(isNetwork), 'must be addresses, networks or loopback, linklocal, uniquelocal'),
  /** Where visitors of the default short host are sent who ask for its bare address, for no link, or for one that has ended. */
  ROOT_URL: httpUrl('ROOT_URL').optional(),
  NOT_FOUND_URL: httpUrl('NOT_FOUND_URL').optional(),
  EXPIRED_URL: httpUrl('EXPIRED_URL').optional(),
  /** The name of the installation on pages for visitors. */
  PAGE_NAME: z.string().trim().min(1).max(100).default('Waymark'),
});

export const redirectConfig = settings.superRefine((config, ctx) => {
  const isShortHost = shortHostTest(config);
  for (const name of ['ROOT_URL', 'NOT_FOUND_URL', 'EXPIRED_URL'] as const) {
    const url = config[name];
    if (url !== undefined && isShortHost(new URL(url)))
      ctx.addIssue({
        code: 'custom',
        path: [name],
        message: 'must not lead to the default short host',
      });
  }
});
export type RedirectConfig = z.output<typeof redirectConfig>;
