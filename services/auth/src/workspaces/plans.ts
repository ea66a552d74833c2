import type { Plan, PlanName } from '@waymark/contract/plans';

export type Plans = Readonly<Record<PlanName, Plan>>;

export interface PlanConfig {
  PLAN_FREE_ACTIVE_LINKS: number;
  PLAN_FREE_CUSTOM_DOMAINS: number;
  PLAN_PRO_ACTIVE_LINKS: number;
  PLAN_PRO_CUSTOM_DOMAINS: number;
  PLAN_BUSINESS_ACTIVE_LINKS: number;
  PLAN_BUSINESS_CUSTOM_DOMAINS: number;
}

export function createPlans(config: PlanConfig): Plans {
  const limited = (name: PlanName, activeLinks: number, customDomains: number): Plan => ({
    name,
    activeLinks,
    customDomains,
    entitlements: [],
  });
  return {
    free: limited('free', config.PLAN_FREE_ACTIVE_LINKS, config.PLAN_FREE_CUSTOM_DOMAINS),
    pro: limited('pro', config.PLAN_PRO_ACTIVE_LINKS, config.PLAN_PRO_CUSTOM_DOMAINS),
    business: limited('business', config.PLAN_BUSINESS_ACTIVE_LINKS, config.PLAN_BUSINESS_CUSTOM_DOMAINS),
    enterprise: { name: 'enterprise', activeLinks: null, customDomains: null, entitlements: ['audit_logs.export'] },
  };
}
