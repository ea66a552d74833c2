import { z } from 'zod';
import { item, listOrPage, optionalPage, requiredText, timestamp } from './common.js';
import { HOSTNAME_LENGTH_MAX, toHostname } from './hostname.js';
import { formatInvalid, report } from './problems.js';
import { ADMINISTRATORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';
import { httpUrl } from './url.js';

export const domainStatus = z.enum(['pending', 'verifying', 'verified', 'degraded', 'failed']);
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

export const createDomain = z.object({ hostname });
export const updateDomain = z.object({ not_found_url: httpUrl('not_found_url').nullable() }).partial();
export type UpdateDomainBody = z.infer<typeof updateDomain>;

export const domain = z.object({
  id: z.string(),
  hostname: z.string(),
  status: domainStatus,
  dns: z.object({
    txt: z.object({ name: z.string(), value: z.string() }),
    cname: z.object({ name: z.string(), target: z.string() }),
  }),
  not_found_url: z.string().nullable(),
  last_checked_at: timestamp.nullable(),
  last_error: z.string().nullable(),
  verified_at: timestamp.nullable(),
  created_at: timestamp,
});
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
