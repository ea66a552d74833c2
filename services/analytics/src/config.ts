import { shortHostConfig } from '@waymark/contract/short-hosts';
import { apiConfig, brokerConfig, databaseConfig, processConfig, setting } from '@waymark/kernel/process/config';
import { z } from 'zod';
import type { RetentionDays } from './retention/retention-days.js';

const unlimited = z.literal('unlimited').transform(() => null);
const days = z.union([unlimited, setting.integer(1)]);
/** Longer than a scan may be redelivered, loaded or repaired after an outage. */
const LEDGER_DAYS_MIN = 30;

export const warehouseConfig = z.object({
  /** The ClickHouse server that computes the figures; the path of the URL is the database. */
  CLICKHOUSE_URL: setting
    .serverUrl(/^https?:$/, 'must be an http or https URL with a valid host and port')
    .refine((text) => /^\/[^/]+$/.test(new URL(text).pathname), 'must name a database: http://host:8123/database'),
  /** A cluster from the server's configuration: tables are replicated, and distributed over its shards. */
  CLICKHOUSE_CLUSTER: z.string().optional(),
});

export const analyticsConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  ...warehouseConfig.shape,
  SHORT_BASE_URL: shortHostConfig.shape.SHORT_BASE_URL,
  /** City data (DB-IP's MMDB layout) that replaces the packaged files. */
  GEOIP_CITY_DB_V4: z.string().optional(),
  GEOIP_CITY_DB_V6: z.string().optional(),
  /** Days that scans are kept and counted, or `unlimited`, by the plan of the workspace. */
  ANALYTICS_RETENTION_DAYS_FREE: days.default(30),
  ANALYTICS_RETENTION_DAYS_PRO: days.default(365),
  ANALYTICS_RETENTION_DAYS_BUSINESS: days.default(730),
  ANALYTICS_RETENTION_DAYS_ENTERPRISE: days.default(null),
  /** Days that MongoDB keeps scans, if fewer than the plan; older ones are in ClickHouse alone. */
  SCAN_LEDGER_DAYS: z.union([unlimited, setting.integer(LEDGER_DAYS_MIN)]).default(null),
});
export type AnalyticsConfig = z.output<typeof analyticsConfig>;

export function retentionDaysByPlan(config: AnalyticsConfig): RetentionDays {
  return {
    free: config.ANALYTICS_RETENTION_DAYS_FREE,
    pro: config.ANALYTICS_RETENTION_DAYS_PRO,
    business: config.ANALYTICS_RETENTION_DAYS_BUSINESS,
    enterprise: config.ANALYTICS_RETENTION_DAYS_ENTERPRISE,
  };
}
