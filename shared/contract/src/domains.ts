import { z } from 'zod';
import { appleAppSiteAssociation, assetLinks } from './app-links.js';
import { item, listOrPage, optionalPage, requiredText, timestamp } from './common.js';
import { HOSTNAME_LENGTH_MAX, toHostname } from './hostname.js';
import { formatInvalid, report, wrongType } from './problems.js';
import { ADMINISTRATORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';
import { httpUrl } from './url.js';

export const domainStatus = z
  .enum(['pending', 'verifying', 'verified', 'degraded', 'failed'])
  .describe(
    '`pending` before the first check; `verifying` until the TXT record is found, then `verified`; `degraded` when the ' +
      'record is gone, but links are still served; `failed` after 3 days without it: no links are served.',
  );
export type DomainStatus = z.infer<typeof domainStatus>;

/** Only these serve links. A degraded domain has lost its record and may get it back. */
export const isServing = (status: DomainStatus): boolean => status === 'verified' || status === 'degraded';

const NOT_QUALIFIED = formatInvalid(
  'hostname',
  'be a fully qualified host name such as go.example.com, without scheme, port or path',
);
const hostname = requiredText('hostname')
  .trim()
  .max(HOSTNAME_LENGTH_MAX, `The hostname must be at most ${HOSTNAME_LENGTH_MAX} characters.`)
  .transform((text, ctx) => {
    const name = toHostname(text);
    if (name !== null) return name;
    report(ctx, NOT_QUALIFIED);
    return z.NEVER;
  });

const visitorsUrl = (name: string, meaning: string) => httpUrl(name).nullable().describe(meaning);
const ROOT_URL = 'URL for visitors of the bare hostname; `null` for `not_found_url`.';
const NOT_FOUND_URL = 'URL for visitors of a path that the host does not have; `null` for a 404.';
const EXPIRED_URL = 'URL for visitors of a link that has ended; `null` for a 410.';
const FOR_IOS = 'For apps on iOS; `null` for none.';
const FOR_ANDROID = 'For apps on Android; `null` for none.';
/** What the host answers beside its links. */
const settings = z
  .object({
    root_url: visitorsUrl('root_url', ROOT_URL),
    not_found_url: visitorsUrl('not_found_url', NOT_FOUND_URL),
    expired_url: visitorsUrl('expired_url', EXPIRED_URL),
    indexable: z
      .boolean({ error: wrongType('indexable', 'boolean').message })
      .describe('Whether search engines may index its links: without `X-Robots-Tag: noindex`. Not at first.'),
    apple_app_site_association: appleAppSiteAssociation.nullable().describe(FOR_IOS),
    assetlinks: assetLinks.nullable().describe(FOR_ANDROID),
  })
  .partial();
export type DomainSettings = z.infer<typeof settings>;

export const createDomain = settings.extend({
  hostname: hostname.describe(
    'Fully qualified host name of the public DNS, such as `go.example.com`, at most 230 characters; stored in lower case ' +
      'and in ASCII (`xn--…`).',
  ),
});
export type CreateDomainBody = z.infer<typeof createDomain>;
export const updateDomain = settings;
/** Two files of 64 kB, each of their characters escaped, take 768 kB. */
const bodyLimitBytes = 1024 * 1024;

const txtRecord = z
  .object({
    name: z.string().describe('Name of the record: `_waymark-challenge.` and the hostname.'),
    value: z.string().describe('Its value, 32 characters; a hostname that is registered again gets a new one.'),
  })
  .describe('Proves that you control the hostname; it must stay, because it is checked for good.');
const cnameRecord = z
  .object({
    name: z.string().describe('Name of the record: the hostname itself.'),
    target: z.string().describe('Host of this installation that the record points to.'),
  })
  .describe('Brings visitors here; it is not checked. A hostname that cannot have a CNAME takes an ALIAS, A or AAAA.');

export const domain = z
  .object({
    id: z.string().describe('Id of the domain, `dom_…`.'),
    hostname: z.string().describe('Host name in lower case and in ASCII (`xn--…`); it never changes.'),
    hostname_unicode: z
      .string()
      .nullable()
      .describe('The hostname as people write it; `null` if it is ASCII, or if a part of it mixes scripts.'),
    status: domainStatus.describe(
      'How far the proof of the hostname is; it serves links while `verified` or `degraded`.',
    ),
    dns: z.object({ txt: txtRecord, cname: cnameRecord }).describe('The records to put into the DNS zone.'),
    root_url: z.string().nullable().describe(ROOT_URL),
    not_found_url: z.string().nullable().describe(NOT_FOUND_URL),
    expired_url: z.string().nullable().describe(EXPIRED_URL),
    indexable: z.boolean().describe('Whether search engines may index its links.'),
    apple_app_site_association: appleAppSiteAssociation.nullable().optional().describe(`${FOR_IOS} Absent in lists.`),
    assetlinks: assetLinks.nullable().optional().describe(`${FOR_ANDROID} Absent in lists.`),
    last_checked_at: timestamp
      .nullable()
      .describe('When the TXT record was last looked up, in UTC; `null` before the first check.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last check failed, for people; `null` when it found the record, and before the first check.'),
    verified_at: timestamp
      .nullable()
      .describe('When the domain last became `verified`, in UTC; `null` if it never did.'),
    created_at: timestamp.describe('When it was registered, in UTC.'),
  })
  .describe('A custom domain, whose links are served from its hostname.');
export type DomainBody = z.infer<typeof domain>;

const path = '/workspaces/{workspace}/domains';
const read = { kind: 'workspace', ability: 'read', roles: EVERY_ROLE } as const;
const write = { kind: 'workspace', ability: 'write', roles: ADMINISTRATORS } as const;

export const domainRoutes = {
  'domains.list': {
    method: 'GET',
    path,
    deployments: ['links'],
    service: 'domain',
    access: read,
    query: optionalPage,
    response: { status: 200, schema: listOrPage(domain) },
  },
  'domains.create': {
    method: 'POST',
    path,
    deployments: ['links'],
    service: 'domain',
    access: write,
    body: createDomain,
    bodyLimitBytes,
    idempotent: true,
    response: { status: 201, schema: item(domain) },
  },
  'domains.show': {
    method: 'GET',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'domain',
    access: read,
    response: { status: 200, schema: item(domain) },
  },
  'domains.update': {
    method: 'PATCH',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'domain',
    access: write,
    body: updateDomain,
    bodyLimitBytes,
    response: { status: 200, schema: item(domain) },
  },
  'domains.delete': {
    method: 'DELETE',
    path: `${path}/{id}`,
    deployments: ['links'],
    service: 'domain',
    access: write,
    response: { status: 204 },
  },
  'domains.verify': {
    method: 'POST',
    path: `${path}/{id}/verify`,
    deployments: ['links'],
    service: 'domain',
    access: write,
    idempotent: true,
    response: { status: 202, schema: item(domain) },
  },
} as const satisfies Record<string, RouteDefinition>;
