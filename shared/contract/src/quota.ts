import { z } from 'zod';

/** The details of the 422 of a create, a reactivation or an import row for which a quota has no room. */
export const quotaDetails = z.object({
  reason: z.literal('quota_exceeded'),
  quota: z.array(z.string()),
  resource: z.string(),
  limit: z.number().int(),
  current: z.number().int(),
});
export type QuotaDetails = z.infer<typeof quotaDetails>;

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
  const things = resource.replaceAll('_', ' ');
  const quota = [`The limit of this ${holder} is ${limit} ${limit === 1 ? things.replace(/s$/, '') : things}.`];
  return { reason: 'quota_exceeded', quota, resource, limit, current };
}
