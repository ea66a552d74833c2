import { z } from 'zod';
import {
  createdAt,
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
import { AVAILABILITIES, availability, chosenVisitFields, visitFields, visitShape } from './visit-fields.js';
import { asTyped } from './visible-text.js';

export const linkStatus = z
  .enum(['active', 'archived'], { error: 'The status must be active or archived.' })
  .describe('`active` redirects visitors, and takes a place of the plan; `archived` answers them 410.');
export type LinkStatus = z.infer<typeof linkStatus>;

export const UTM_KEYS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
const eachUtm = <T extends z.ZodType>(schemaOf: (name: string, meaning: string) => T) => ({
  utm_source: schemaOf('utm_source', 'Where the visitor comes from, e.g. `newsletter`'),
  utm_medium: schemaOf('utm_medium', 'Kind of medium, e.g. `email`'),
  utm_campaign: schemaOf('utm_campaign', 'Marketing campaign, e.g. `spring-sale`'),
  utm_term: schemaOf('utm_term', 'Keyword of a paid search'),
  utm_content: schemaOf('utm_content', 'Which of several links or advertisements'),
});
export const utmDefaults = z
  .object(eachUtm((_name, meaning) => z.string().nullable().describe(`${meaning}; \`null\` for none.`)))
  .describe('UTM parameters that a link adds.');
export type UtmDefaults = z.infer<typeof utmDefaults>;

/** The fields as clients send them: an absent field stays unchanged. */
export const utmInput = z
  .object(
    eachUtm((name, meaning) =>
      optionalText(name, 255).nullable().describe(`${meaning}, at most 255 characters; \`null\` for none.`),
    ),
    { error: 'The utm_defaults must be an object.' },
  )
  .partial()
  .describe('UTM parameters to set; absent ones stay unchanged.');

export const queryPolicy = z
  .enum(['append', 'override', 'drop'], { error: 'The query_policy must be append, override or drop.' })
  .describe(
    '`append` passes the parameters of visitors on, but replaces only UTM parameters of the destination; `override` ' +
      'replaces each of the same name; `drop` removes them.',
  );
const QUERY_POLICY = 'What happens to parameters that visitors add to the short URL';
const STATUS = 'Whether it redirects visitors';
export type QueryPolicy = z.infer<typeof queryPolicy>;
/** The policy of links stored, and events published, before links had one. */
export const DEFAULT_QUERY_POLICY = 'append' satisfies QueryPolicy;

export const destinationUrl = httpUrl('destination_url').describe(
  'Where visitors are sent: an http or https URL of at most 2,048 characters, without credentials, on no short host.',
);

const RESERVED_CODES = ['q', 'api', 'docs', 'admin', 'healthz', 'readyz', 'metrics', 'robots', 'favicon'];
export const shortCode = z
  .string({ error: 'The short_code must be text.' })
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'The short_code must be 1 to 64 characters from A-Z, a-z, 0-9, _ and -.')
  .refine((value) => !RESERVED_CODES.includes(value.toLowerCase()), asIssue(reserved('short_code', RESERVED_CODES)));
const SHORT_CODE = 'Last part of the short URL: 1 to 64 of A-Z, a-z, 0-9, `_` and `-`, whose case is ignored.';

/** What links and QR codes have in common. */
export const contentFields = {
  title: optionalText('title', 255).nullable().describe('Text for people, at most 255 characters; `null` for none.'),
  campaign_tag: optionalText('campaign_tag', 100)
    .refine((tag) => tag !== EVERY, asIssue(reservedWord('campaign_tag', EVERY, 'filters take it for every one')))
    .nullable()
    .describe('Groups figures in analytics: at most 100 characters, and not `all`; `null` for no campaign.'),
  utm_defaults: utmInput
    .nullable()
    .describe('UTM parameters to add to the destination, of which absent ones stay unchanged; `null` clears all.'),
  query_policy: queryPolicy.describe(`${QUERY_POLICY}.`),
  ...visitFields,
  status: linkStatus.describe(`${STATUS}.`),
  short_code: shortCode.describe(`${SHORT_CODE} Frozen after the first scan; the former one keeps working.`),
};

const absentIfNull = <T extends z.ZodType>(schema: T) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();
/** Every link and QR code has these; `null`, as generated clients send it, lets the service choose for a new one. */
export const chosenFields = {
  short_code: absentIfNull(shortCode).describe(`${SHORT_CODE} Generated (9 characters) if absent or \`null\`.`),
  query_policy: absentIfNull(queryPolicy).describe(`${QUERY_POLICY}; \`append\` unless given.`),
  status: absentIfNull(linkStatus).describe(`${STATUS}; \`active\` unless given.`),
  ...chosenVisitFields,
};

const linkFields = {
  ...contentFields,
  domain_id: reference('domain_id').describe('Verified custom domain to serve the link; `null` for the default host.'),
  folder_id: reference('folder_id').describe('Folder to put the link into; `null` for none.'),
  utm_template_id: reference('utm_template_id').describe(
    'Template whose values are copied to `utm_defaults` once, except for those given there; `null` for none.',
  ),
  tag_ids: tagIds.nullable().describe('All tags of the link, at most 50; `null` for none.'),
};

export const createLink = z
  .object({
    destination_url: destinationUrl,
    ...z.object(linkFields).partial().shape,
    ...chosenFields,
  })
  .describe('Fields of a new link.');
export const updateLink = z
  .object({ destination_url: destinationUrl, ...linkFields })
  .partial()
  .describe('Changes of a link; absent fields stay unchanged.');
export type CreateLinkBody = z.infer<typeof createLink>;
export type UpdateLinkBody = z.infer<typeof updateLink>;

/** Only the operator blocks and unblocks: no body has it. */
const blocked = z
  .object({
    at: timestamp.describe('When it was blocked, in UTC.'),
    reason: z.string().describe('Reason of the operator, for people.'),
  })
  .nullable();
export type Blocked = z.infer<typeof blocked>;

/** The fields that a link and a QR code have in common in answers. */
export const contentShape = {
  id: z.string().describe('`lnk_…`, or `qr_…` for a QR code; never changes.'),
  short_code: z.string().describe('Last part of the short URL, whose case is ignored.'),
  short_url: z.string().describe('URL to publish: the custom domain or the default host, and the short code.'),
  title: z.string().nullable().describe('Text for people; `null` for none.'),
  destination_url: z.string().describe('Where visitors are sent, without `utm_defaults` and their own parameters.'),
  campaign_tag: z.string().nullable().describe('Groups figures in analytics; `null` for no campaign.'),
  utm_defaults: utmDefaults.describe('UTM parameters added to the destination, instead of its own of the same name.'),
  query_policy: queryPolicy.describe(`${QUERY_POLICY}.`),
  ...visitShape,
  status: linkStatus.describe(`${STATUS}.`),
  availability: availability.describe('What visitors get now; read-only.'),
  blocked: blocked.describe('While the operator blocks it, visitors get 451; `null` otherwise. Read-only.'),
  scans_count: z.number().int().describe('Scans by people since its creation, a moment behind; bots are not counted.'),
  last_scanned_at: timestamp
    .nullable()
    .describe('Time of the latest scan by a person, in UTC; `null` before the first.'),
  created_by: z
    .string()
    .nullable()
    .describe('User who created it, also by a token or an import, `usr_…`; `null` if none did.'),
  archived_at: timestamp.nullable().describe('Time of archiving, in UTC; `null` while it is active.'),
  created_at: createdAt,
  updated_at: timestamp.describe('Time of the last change, in UTC; scans are no change.'),
};

const linkDomain = z.object({
  id: z.string().describe('For `domain_id`: `dom_…`.'),
  hostname: z.string().describe('Host of the short URL, e.g. `go.example.com`.'),
});
const linkTag = z.object({
  id: z.string().describe('For `tag_ids`: `tag_…`.'),
  name: z.string().describe('Unique in the workspace, without regard to case.'),
  color: z.string().nullable().describe('`#rrggbb`; `null` for none.'),
});

export const link = z
  .object({
    ...contentShape,
    short_url_unicode: z
      .string()
      .nullable()
      .describe('The short URL as people write it; `null` unless its domain has a `hostname_unicode`.'),
    domain: linkDomain.nullable().describe('Custom domain that serves the link; `null` for the default host.'),
    folder_id: z.string().nullable().describe('Folder that the link is in, `fld_…`; `null` for none.'),
    tags: z.array(linkTag).describe('Tags of the link, at most 50.'),
  })
  .describe('A short link.');
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
  availability: wordSelector('availability', AVAILABILITIES),
  search: filter('search', 255).describe(
    'At most 8 words, or beginnings of words, of title, destination or short codes; all must match.',
  ),
  campaign: selector('campaign', 100, asTyped),
  updated_since: updatedSince,
  sort: linkSort
    .default('-created_at')
    .describe('Order of the items, descending with `-`; newest first unless given. `title` ignores case.'),
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
