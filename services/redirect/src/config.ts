import { getHeapStatistics } from 'node:v8';
import { z } from 'zod';
import { shortHostConfig } from '@waymark/contract/short-hosts';
import { brokerConfig, databaseConfig, processConfig, setting } from '@waymark/kernel/process/config';
import { isNetwork } from './redirect/visitor-address.js';

const MIB = 1024 * 1024;
/** Any single link or host fits. */
const CACHE_BYTES_MIN = MIB;

/** The other half is for requests, events and batches. */
const CACHES_MAX_BYTES = getHeapStatistics().heap_size_limit / 2;

export const redirectConfig = z
  .object({
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
    /** The memory for links and for custom hosts. */
    TARGET_CACHE_MAX_BYTES: setting.integer(CACHE_BYTES_MIN).default(80 * MIB),
    HOST_CACHE_MAX_BYTES: setting.integer(CACHE_BYTES_MIN).default(16 * MIB),
    /** Requests of one visitor (an IPv6 /64) for codes and hosts that do not exist. */
    VISITOR_MISSES_PER_MINUTE: setting.integer(1).default(60),
    /** Connections open at once: in all, and of one visitor that comes through no trusted proxy. */
    CONNECTIONS_MAX: setting.integer(1).default(10_000),
    /** Addresses and networks whose `X-Forwarded-For` is trusted. */
    TRUSTED_PROXIES: setting.commaList
      .default(['loopback'])
      .refine((proxies) => proxies.every(isNetwork), 'must be addresses, networks or loopback, linklocal, uniquelocal'),
  })
  .refine(
    ({ TARGET_CACHE_MAX_BYTES, HOST_CACHE_MAX_BYTES }) =>
      TARGET_CACHE_MAX_BYTES + HOST_CACHE_MAX_BYTES <= CACHES_MAX_BYTES,
    {
      path: ['TARGET_CACHE_MAX_BYTES'],
      error: `and HOST_CACHE_MAX_BYTES must be at most half of the heap: ${CACHES_MAX_BYTES} bytes`,
    },
  );
export type RedirectConfig = z.output<typeof redirectConfig>;
