import { z } from 'zod';
import { item, page, paginated, perPage, requiredText, timestamp } from './common.js';
import { CONTENT_EDITORS, EVERY_ROLE, OWNERS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { isHttpUrl } from './url.js';

export const linkStatus = z.enum(['active', 'archived']);
export type LinkStatus = z.infer<typeof linkStatus>;

export const UTM_KEYS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
const utmValue = z.string().max(255, 'A UTM value must be at most 255 characters.').nullable();
export const utmDefaults = z.object({
  utm_source: utmValue,
  utm_medium: utmValue,
  utm_campaign: utmValue,
  utm_term: utmValue,
  utm_content: utmValue,
});
export type UtmDefaults = z.infer<typeof utmDefaults>;

export const destinationUrl = requiredText('destination_url')
  .trim()
  .max(2048, 'The destination_url must be at most 2048 characters.')
  .refine(isHttpUrl, 'The destination_url must be an http or https URL without credentials.');

const RESERVED_CODES = new Set(['q', 'api', 'docs', 'admin', 'healthz', 'readyz', 'metrics', 'robots', 'favicon']);
export const shortCode = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'The short_code must be 1 to 64 of A-Z, a-z, 0-9, _ and -.')
  .refine((value) => !RESERVED_CODES.has(value.toLowerCase()), 'The short_code is reserved.');

const linkFields = {
  title: z.string().max(255, 'The title must be at most 255 characters.').nullable(),
  campaign_tag: z.string().max(100, 'The campaign_tag must be at most 100 characters.').nullable(),
  utm_defaults: utmDefaults.partial().nullable(),
  status: linkStatus,
  short_code: shortCode,
};

export const createLink = z.object({ destination_url: destinationUrl, ...z.object(linkFields).partial().shape });
export const updateLink = z.object({ destination_url: destinationUrl, ...linkFields }).partial();
export type CreateLinkBody = z.infer<typeof createLink>;
export type UpdateLinkBody = z.infer<typeof updateLink>;

export const link = z.object({
  id: z.string(),
  short_code: z.string(),
  short_url: z.string(),
  title: z.string().nullable(),
  destination_url: z.string(),
  campaign_tag: z.string().nullable(),
  utm_defaults: utmDefaults,
  status: linkStatus,
  domain: z.object({ id: z.string(), hostname: z.string() }).nullable(),
  folder_id: z.string().nullable(),
  tags: z.array(z.object({ id: z.string(), name: z.string(), color: z.string().nullable() })),
  scans_count: z.number().int(),
  last_scanned_at: timestamp.nullable(),
  created_by: z.string().nullable(),
  archived_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type LinkBody = z.infer<typeof link>;

const path = '/workspaces/{workspace}/links';

export const linkRoutes = {
  'links.list': {
    method: 'GET',
    path,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    query: z.object({ status: linkStatus.optional(), page, per_page: perPage }),
    response: { status: 200, schema: paginated(link) },
  },
  'links.create': {
    method: 'POST',
    path,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: createLink,
    idempotent: true,
    response: { status: 201, schema: item(link) },
  },
  'links.show': {
    method: 'GET',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    response: { status: 200, schema: item(link) },
  },
  'links.update': {
    method: 'PATCH',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: updateLink,
    response: { status: 200, schema: item(link) },
  },
  'links.delete': {
    method: 'DELETE',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: OWNERS },
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
