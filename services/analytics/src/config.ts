import { apiConfig, brokerConfig, databaseConfig, processConfig, shortHostConfig } from '@waymark/shared/kernel/config';
import { z } from 'zod';

export const analyticsConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  SHORT_BASE_URL: shortHostConfig.shape.SHORT_BASE_URL,
  /** City data (DB-IP's MMDB layout) in place of the packaged files. */
  GEOIP_CITY_DB_V4: z.string().optional(),
  GEOIP_CITY_DB_V6: z.string().optional(),
});
export type AnalyticsConfig = z.output<typeof analyticsConfig>;
