import { z } from 'zod';
import {
  csvQuery,
  cursorPage,
  cursorPaging,
  EVERY,
  filter,
  item,
  optionalText,
  selector,
  timestamp,
  updatedSince,
  wordSelector,
} from './common.js';
import { bulkResults, changeLinks } from './bulk-changes.js';
import { asIssue, reserved, reservedWord } from './problems.js';
import { reference, tagIds } from './references.js';
import { CONTENT_EDITORS, EVERY_ROLE, OWNERS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { httpUrl } from './url.js';
import { asTyped } from './visible-text.js';

export const linkStatus = z.enum(['active', 'archived'], { error: 'The status must be active or archived.' });
export type LinkStatus = z.infer<typeof linkStatus>;

export const UTM_KEYS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
const eachUtm = <T extends z.ZodType>(schemaOf: (name: string) => T) => ({
  utm_source: schemaOf('utm_source'),
  utm_medium: schemaOf('utm_medium'),
  utm_campaign: schemaOf('utm_campaign'),
  utm_term: schemaOf('utm_term'),
  utm_content: schemaOf('utm_content'),
});
export const utmDefaults = z.object(eachUtm(() => z.string().nullable()));
export type UtmDefaults = z.infer<typeof utmDefaults>;

/** The fields as clients send them: an absent field stays unchanged. */
export const utmInput = z
  .object(
    eachUtm((name) => optionalText(name, 255).nullable()),
    { error: 'The utm_defaults must be an object.' },
  )
  .partial();

/** How the redirect treats the parameters that a visitor adds to a short URL. */
export const queryPolicy = z.enum(['append', 'override', 'drop'], {
  error: 'The query_policy must be append, override or drop.',
});
export type QueryPolicy = z.infer<typeof queryPolicy>;
/** The policy of links stored, and events published, before links had one. */
export const DEFAULT_QUERY_POLICY = 'append' satisfies QueryPolicy;

export const destinationUrl = httpUrl('destination_url');

const RESERVED_CODES = ['q', 'api', 'docs', 'admin', 'healthz', 'readyz', 'metrics', 'robots', 'favicon'];
export const shortCode = z
  .string({ error: 'The short_code must be text.' })
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'The short_code must be 1 to 64 characters from A-Z, a-z, 0-9, _ and -.')
  .refine((value) => !RESERVED_CODES.includes(value.toLowerCase()), asIssue(reserved('short_code', RESERVED_CODES)));

/** What links and QR codes have in common. */
export const contentFields = {
  title: optionalText('title', 255).nullable(),
  campaign_tag: optionalText('campaign_tag', 100)
    .refine((tag) => tag !== EVERY, asIssue(reservedWord('campaign_tag', EVERY, 'filters take it for every one')))
    .nullable(),
  utm_defaults: utmInput.nullable(),
  query_policy: queryPolicy,
  status: linkStatus,
  short_code: shortCode,
};

const absentIfNull = <T extends z.ZodType>(schema: T) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();
/** Every link and QR code has these; `null`, as generated clients send it, lets the service choose for a new one. */
export const chosenFields = {
  short_code: absentIfNull(shortCode),
  query_policy: absentIfNull(queryPolicy),
  status: absentIfNull(linkStatus),
};

const linkFields = {
  ...contentFields,
  domain_id: reference('domain_id'),
  folder_id: reference('folder_id'),
  utm_template_id: reference('utm_template_id'),
  tag_ids: tagIds.nullable(),
};

export const createLink = z.object({
  destination_url: destinationUrl,
  ...z.object(linkFields).partial().shape,
  ...chosenFields,
});
export const updateLink = z.object({ destination_url: destinationUrl, ...linkFields }).partial();
export type CreateLinkBody = z.infer<typeof createLink>;
export type UpdateLinkBody = z.infer<typeof updateLink>;

/** The fields that a link and a QR code have in common in answers. */
export const contentShape = {
  id: z.string(),
  short_code: z.string(),
  short_url: z.string(),
  title: z.string().nullable(),
  destination_url: z.string(),
  campaign_tag: z.string().nullable(),
  utm_defaults: utmDefaults,
  query_policy: queryPolicy,
  status: linkStatus,
  scans_count: z.number().int(),
  last_scanned_at: timestamp.nullable(),
  created_by: z.string().nullable(),
  archived_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
};

export const link = z.object({
  ...contentShape,
  domain: z.object({ id: z.string(), hostname: z.string() }).nullable(),
  folder_id: z.string().nullable(),
  tags: z.array(z.object({ id: z.string(), name: z.string(), color: z.string().nullable() })),
});
export type LinkBody = z.infer<typeof link>;

/** Fields that change without an event. */
export const COUNTS = { scans_count: true, last_scanned_at: true } as const;

export const linkSort = z.enum(
  ['created_at', '-created_at', 'updated_at', '-updated_at', 'title', '-title', 'scans_count', '-scans_count'],
  {
    error: 'The sort must be created_at, updated_at, title or scans_count, with a - before it for descending.',
  },
);
export type LinkSort = z.infer<typeof linkSort>;

export const contentQuery = {
  status: wordSelector('status', linkStatus.options),
  search: filter('search', 255).meta({
    description: 'At most 8 words or beginnings of words; all must match.',
  }),
  campaign: selector('campaign', 100, asTyped),
  updated_since: updatedSince,
  sort: linkSort.default('-created_at'),
  ...cursorPaging,
};
export const linkQuery = z.object({
  ...contentQuery,
  folder_id: selector('folder_id', 64),
  tag_id: selector('tag_id', 64),
  domain_id: selector('domain_id', 64),
});
/** An export has no pages. */
export const paging = { page: true, per_page: true, cursor: true } as const;
export type LinkQuery = z.infer<typeof linkQuery>;

const path = '/workspaces/{workspace}/links';

export const linkRoutes = {
  'links.list': {
    method: 'GET',
    path,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    query: linkQuery,
    response: { status: 200, schema: cursorPage(link) },
  },
  'links.export': {
    method: 'GET',
    path: `${path}/export`,
    deployments: ['links'],
    versions: ['v1'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    query: linkQuery.omit(paging).extend(csvQuery),
    response: { status: 200, contentTypes: ['text/csv; charset=utf-8'] },
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
  'links.bulk': {
    method: 'POST',
    path: `${path}/bulk`,
    deployments: ['links'],
    versions: ['v1'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: changeLinks,
    idempotent: true,
    response: { status: 200, schema: bulkResults },
  },
} as const satisfies Record<string, RouteDefinition>;
