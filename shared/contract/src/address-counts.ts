import { z } from 'zod';
import { boundedList } from './common.js';
import { tooMany } from './problems.js';

/** Networks in one report: auth handles this many in a few milliseconds. */
export const ADDRESS_COUNTS_MAX = 500;

/** Requests without a known credential that one gateway has counted since its last report. */
export const addressCount = z.object({
  network: z.string().min(1).max(64),
  /** Negative where requests turned out to carry a known credential. */
  count: z.number().min(-1_000_000).max(1_000_000),
  per_minute: z.number().int().min(1),
});
export type AddressCount = z.infer<typeof addressCount>;

/** A network's leaky bucket after the reports of all gateways: it drains `per_minute` in a minute. */
export const addressLevel = z.object({ network: z.string(), level: z.number() });
export type AddressLevel = z.infer<typeof addressLevel>;

export const addressCounts = z.object({
  counts: boundedList(addressCount, {
    min: [1, 'no counts'],
    max: [ADDRESS_COUNTS_MAX, tooMany('counts', ADDRESS_COUNTS_MAX)],
  }),
});
export const addressLevels = z.object({ levels: z.array(addressLevel) });

/** Path of the reports on auth. */
export const ADDRESS_COUNTS_PATH = '/internal/address-counts';
