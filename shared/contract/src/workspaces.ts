import { z } from 'zod';
import {
  choice,
  item,
  listOrPage,
  nameOf,
  optionalPage,
  page,
  paginated,
  perPage,
  requiredText,
  slugOf,
  timestamp,
  updatedSince,
} from './common.js';
import { planName } from './plans.js';
import { asIssue, reserved } from './problems.js';
import { resourceUsage } from './quota.js';
import { ADMINISTRATORS, EVERY_ROLE, role } from './roles.js';
import type { RouteDefinition } from './route.js';

export const workspace = z.object({
  slug: z.string(),
  name: z.string(),
  /** The caller's role. */
  role,
  plan: planName,
  require_two_factor: z
    .boolean()
    .meta({ description: 'Whether members without a second factor have no access. Single sign-on counts as one.' }),
  created_at: timestamp,
});
export type WorkspaceBody = z.infer<typeof workspace>;

const usage = (description: string) =>
  resourceUsage
    .nullable()
    .meta({ description: `${description} \`null\` while the count is not known: ask again later.` });
const usageOfLinks = (description: string) => usage(`${description} Only in the links deployment.`).optional();
const usageOfQrCodes = (description: string) => usage(`${description} Only in the QR codes deployment.`).optional();

/** A workspace with its counts and limits; `limit` is `null` where the plan sets none. */
export const workspaceDetails = workspace.extend({
  usage: z.object({
    active_links: usageOfLinks('Links that are active.'),
    links: usageOfLinks('Links, active and archived.'),
    folders: usageOfLinks('Folders.'),
    tags: usageOfLinks('Tags.'),
    utm_templates: usageOfLinks('UTM templates.'),
    domains: usageOfLinks('Custom domains.'),
    active_qr_codes: usageOfQrCodes('QR codes that are active.'),
    qr_codes: usageOfQrCodes('QR codes, active and archived.'),
    webhooks: usage('Webhooks.'),
    members: usage('Members.'),
    tokens: usage('Access tokens that are not revoked.'),
  }),
});
export type WorkspaceDetailsBody = z.infer<typeof workspaceDetails>;

export const updateWorkspace = z
  .object({
    name: nameOf(100),
    require_two_factor: z.boolean({ error: 'The require_two_factor must be true or false.' }),
  })
  .partial();
export type UpdateWorkspaceBody = z.output<typeof updateWorkspace>;

/** Names that hosts, pages or accounts of an operator have. */
const RESERVED_SLUGS = [
  ...['account', 'admin', 'api', 'app', 'assets', 'auth', 'billing', 'blog', 'cdn', 'console', 'dashboard', 'docs'],
  ...['ftp', 'help', 'internal', 'login', 'logout', 'mail', 'metrics', 'oauth', 'public', 'root', 'security'],
  ...['settings', 'signup', 'smtp', 'sso', 'static', 'status', 'support', 'system', 'waymark', 'webhooks', 'www'],
];

/** The slug of a new workspace; an existing one keeps its slug even if it is reserved now. */
export const newSlug = slugOf('slug').refine(
  (slug) => !RESERVED_SLUGS.includes(slug),
  asIssue(reserved('slug', RESERVED_SLUGS)),
);

export const createWorkspace = z.object({
  slug: newSlug,
  name: nameOf(100),
});

/** The slug, typed again: a deletion cannot be undone. */
export const deleteWorkspace = z.object({ confirm: requiredText('confirm') });

export const member = z.object({
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  role,
  created_at: timestamp,
  /** When the role last changed. */
  updated_at: timestamp,
});
export type MemberBody = z.infer<typeof member>;

export const memberSort = z.enum(['created_at', '-created_at', 'updated_at', '-updated_at'], {
  error: 'The sort must be created_at or updated_at, with a - before it for descending.',
});
export type MemberSort = z.infer<typeof memberSort>;

const roleField = choice('role', role.options);

export const updateMember = z.object({ role: roleField }).partial();

const workspaces = '/workspaces';
const oneWorkspace = '/workspaces/{workspace}';
const members = '/workspaces/{workspace}/members';
const read = { kind: 'workspace', ability: 'read', roles: ADMINISTRATORS } as const;
const write = { kind: 'workspace', ability: 'write', roles: ADMINISTRATORS } as const;

export const workspaceRoutes = {
  'workspaces.list': {
    method: 'GET',
    path: workspaces,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'user' },
    query: z.object({ page, per_page: perPage }),
    response: { status: 200, schema: paginated(workspace) },
  },
  // A token is scoped to one workspace: only a signed-in user may create another.
  'workspaces.create': {
    method: 'POST',
    path: workspaces,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: createWorkspace,
    idempotent: true,
    response: { status: 201, schema: item(workspace) },
  },
  'workspaces.show': {
    method: 'GET',
    path: oneWorkspace,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    response: { status: 200, schema: item(workspaceDetails) },
  },
  'workspaces.update': {
    method: 'PATCH',
    path: oneWorkspace,
    versions: ['v1'],
    service: 'auth',
    access: write,
    body: updateWorkspace,
    response: { status: 200, schema: item(workspaceDetails) },
  },
  // A leaked token must not be able to erase everything.
  'workspaces.delete': {
    method: 'DELETE',
    path: oneWorkspace,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'workspace', ability: 'write', roles: ['owner'], sessionOnly: true },
    body: deleteWorkspace,
    response: { status: 204 },
  },
  'members.list': {
    method: 'GET',
    path: members,
    service: 'auth',
    access: read,
    query: optionalPage.extend({ updated_since: updatedSince, sort: memberSort.default('-created_at') }),
    response: { status: 200, schema: listOrPage(member) },
  },
  'members.leave': {
    method: 'DELETE',
    path: `${members}/me`,
    service: 'auth',
    access: { kind: 'workspace', ability: 'write', roles: EVERY_ROLE },
    response: { status: 204 },
  },
  'members.update': {
    method: 'PATCH',
    path: `${members}/{user}`,
    service: 'auth',
    access: write,
    body: updateMember,
    response: { status: 200, schema: item(member) },
  },
  'members.remove': {
    method: 'DELETE',
    path: `${members}/{user}`,
    service: 'auth',
    access: write,
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
