import { z } from 'zod';
import type { Deployment } from './deployments.js';
import { quotaExceeded, type Problem } from './problems.js';

/** The details of the 422 of a create, a reactivation or an import row for which a quota has no room. */
export const quotaDetails = z
  .object({
    reason: z.literal('quota_exceeded').describe('Distinguishes this error from other 422s.'),
    quota: z.array(z.string()).describe('One message for people.'),
    resource: z.string().describe('What the limit counts, e.g. `active_links`.'),
    limit: z.number().int().describe('How many there may be.'),
    current: z.number().int().describe('How many there were when the request arrived.'),
  })
  .describe('The limit that has no room, and how far it is used.');
export type QuotaDetails = z.infer<typeof quotaDetails>;

/** How many things of one kind a workspace has, and how many it may have; `null` is unlimited. */
export const resourceUsage = z
  .object({
    used: z.number().int().describe('How many there are.'),
    limit: z.number().int().nullable().describe('How many there may be; `null` is unlimited.'),
  })
  .describe('How much of one kind a workspace has, and may have.');
export type ResourceUsage = z.infer<typeof resourceUsage>;

/** The counted resources of a workspace, by the service that counts them, as answers name them. */
export const COUNTED_RESOURCES = {
  resource: {
    links: ['active_links', 'links', 'folders', 'tags', 'utm_templates'],
    qr: ['active_qr_codes', 'qr_codes'],
  },
  domain: { links: ['domains'], qr: [] },
  webhook: { links: ['webhooks'], qr: ['webhooks'] },
} as const satisfies Record<string, Record<Deployment, readonly string[]>>;

export interface QuotaUsage {
  /** The resource's name in the API, e.g. `custom_domains`. */
  resource: string;
  limit: number;
  current: number;
  /** A workspace by default. */
  holder?: 'workspace' | 'user';
}

/** Returns the details of the error for a quota that has no room. */
export function exceededQuota({ resource, limit, current, holder = 'workspace' }: QuotaUsage): QuotaDetails {
  const things = resource.replaceAll('_', ' ').replace('qr codes', 'QR codes');
  const quota = [`The limit of this ${holder} is ${limit} ${limit === 1 ? things.replace(/s$/, '') : things}.`];
  return { reason: 'quota_exceeded', quota, resource, limit, current };
}

/** Returns the problem that stands beside the details of a quota. */
export function quotaProblem({ quota, resource, limit, current }: QuotaDetails): Problem {
  return quotaExceeded(quota[0]!, { resource, limit, current });
}
