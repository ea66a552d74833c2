import { z } from 'zod';
import { page, paginated, perPage, timestamp } from './common.js';
import { ANALYTICS_READERS } from './roles.js';
import type { RouteDefinition } from './route.js';

export const trigger = z.enum(['link', 'qr']);
export const device = z.enum(['desktop', 'mobile', 'tablet', 'other']);
export type Device = z.infer<typeof device>;

export const scanRow = z.object({
  id: z.string(),
  link_id: z.string(),
  short_code: z.string(),
  scanned_at: timestamp,
  trigger,
  country: z.string(),
  region: z.string(),
  city: z.string(),
  device,
  browser: z.string(),
  os: z.string(),
  referrer: z.string(),
  campaign: z.string().nullable(),
  is_unique: z.boolean(),
  is_bot: z.boolean(),
});
export type ScanRow = z.infer<typeof scanRow>;

const day = z.iso.date({ error: 'The date must be YYYY-MM-DD.' });

function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

/** The filters of every analytics route; `all` or an absent parameter disables one. */
export const analyticsFilters = z.object({
  start_date: day.optional(),
  end_date: day.optional(),
  timezone: z.string().max(64).refine(isTimeZone, 'The timezone must be an IANA zone name.').default('UTC'),
  link_id: z.string().max(64).optional(),
  device: z.string().max(64).optional(),
  campaign: z.string().max(100).optional(),
  trigger: z.enum(['all', 'link', 'qr']).optional(),
  include_bots: z.stringbool({ error: 'The include_bots must be true or false.' }).default(false),
});

export const summary = z.object({
  data: z.object({
    kpis: z.object({
      total_scans: z.number().int(),
      unique_visitors: z.number().int(),
      conversions: z.number().int().nullable(),
      conversion_rate: z.number().nullable(),
      active_links: z.number().int(),
      bot_scans: z.number().int(),
    }),
    trend: z.array(
      z.object({
        date: z.iso.date(),
        scans: z.number().int(),
        unique_visitors: z.number().int(),
        conversions: z.number().int().nullable(),
      }),
    ),
    devices: z.array(z.object({ device, scans: z.number().int(), share: z.number() })),
  }),
  meta: z.object({
    start_date: z.iso.date(),
    end_date: z.iso.date(),
    timezone: z.string(),
    filters: z.record(z.string(), z.unknown()),
    data_as_of: timestamp.nullable(),
  }),
});
export type SummaryBody = z.infer<typeof summary>;

const path = '/workspaces/{workspace}/analytics';

export const analyticsRoutes = {
  'analytics.summary': {
    method: 'GET',
    path: `${path}/summary`,
    service: 'analytics',
    access: { kind: 'workspace', ability: 'read', roles: ANALYTICS_READERS },
    query: analyticsFilters,
    response: { status: 200, schema: summary },
  },
  'analytics.scans': {
    method: 'GET',
    path: `${path}/scans`,
    service: 'analytics',
    access: { kind: 'workspace', ability: 'read', roles: ANALYTICS_READERS },
    query: analyticsFilters.extend({ page, per_page: perPage }),
    response: { status: 200, schema: paginated(scanRow) },
  },
} as const satisfies Record<string, RouteDefinition>;
