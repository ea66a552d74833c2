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
