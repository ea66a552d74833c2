import type { PlanName } from '@waymark/contract/plans';
import type { AnalyticsConfig } from '../config.js';

/** Days for which a scan is kept, by plan; `null` means forever. */
export type RetentionDays = Readonly<Record<PlanName, number | null>>;

export function retentionDaysOf(config: AnalyticsConfig): RetentionDays {
  return {
    free: config.ANALYTICS_RETENTION_DAYS_FREE,
    pro: config.ANALYTICS_RETENTION_DAYS_PRO,
    business: config.ANALYTICS_RETENTION_DAYS_BUSINESS,
    enterprise: config.ANALYTICS_RETENTION_DAYS_ENTERPRISE,
  };
}
