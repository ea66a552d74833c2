import type { Plan, PlanName } from '@waymark/contract/plans';
import type { AuthConfig } from '../config.js';

export type Plans = Readonly<Record<PlanName, Plan>>;

export function plansOf(config: AuthConfig): Plans {
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
