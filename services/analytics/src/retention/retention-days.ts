import type { PlanName } from '@waymark/contract/plans';

/** Days for which a scan is kept, by plan; `null` means forever. */
export type RetentionDays = Readonly<Record<PlanName, number | null>>;
