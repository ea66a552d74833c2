import { z } from 'zod';

export const planName = z
  .enum(['free', 'pro', 'business', 'enterprise'])
  .describe('Plan of the workspace, which the operator sets: its limits, and how long scans are kept.');
export type PlanName = z.infer<typeof planName>;

export const entitlement = z.enum(['audit_logs.export']);
export type Entitlement = z.infer<typeof entitlement>;

/** The plan that each entitlement requires. */
export const REQUIRED_PLANS: Readonly<Record<Entitlement, PlanName>> = { 'audit_logs.export': 'enterprise' };

/** The limits of a workspace; `null` means unlimited. Travels with the signed identity. */
export const plan = z.object({
  name: planName,
  activeLinks: z.number().int().nullable(),
  customDomains: z.number().int().nullable(),
  entitlements: z.array(entitlement),
});
export type Plan = z.infer<typeof plan>;
