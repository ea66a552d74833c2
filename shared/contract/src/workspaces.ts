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
import { userFields, workspaceFields } from './users.js';

export const workspace = z
  .object({
    ...workspaceFields,
    role: role.describe('The role of the user who makes the request, also with a token.'),
    plan: planName.describe('The plan, which decides about its limits.'),
    require_two_factor: z
      .boolean()
      .describe('Whether members without a second factor have no access. Single sign-on counts as one.'),
    created_at: timestamp.describe('When the workspace was created, in UTC.'),
  })
  .describe('What a team shares: links or QR codes, tokens, webhooks, domains and the audit log.');
export type WorkspaceBody = z.infer<typeof workspace>;

const usage = (description: string) =>
  resourceUsage
    .nullable()
    .meta({ description: `${description} \`null\` while the count is not known: ask again later.` });
const usageOfLinks = (description: string) => usage(`${description} Only in the links deployment.`).optional();
const usageOfQrCodes = (description: string) => usage(`${description} Only in the QR codes deployment.`).optional();

/** A workspace with its counts and limits; `limit` is `null` where the plan sets none. */
export const workspaceDetails = workspace
  .extend({
    usage: z
      .object({
        active_links: usageOfLinks('Links that are active.'),
        links: usageOfLinks('Links, active and archived.'),
        folders: usageOfLinks('Folders.'),
        tags: usageOfLinks('Tags.'),
        utm_templates: usageOfLinks('UTM templates.'),
        domains: usageOfLinks('Custom domains, verified or not.'),
        active_qr_codes: usageOfQrCodes('QR codes that are active.'),
        qr_codes: usageOfQrCodes('QR codes, active and archived.'),
        webhooks: usage('Webhook endpoints.'),
        members: usage('Members; open invitations are not counted.'),
        tokens: usage('Access tokens of all members that are not revoked, also expired ones.'),
      })
      .describe('How many things of each limited kind the workspace has, and may have.'),
  })
  .describe('A workspace, with what it uses of its limits.');
export type WorkspaceDetailsBody = z.infer<typeof workspaceDetails>;

export const updateWorkspace = z
  .object({
    name: nameOf(100).describe('New name for people, 1 to 100 characters. Unchanged when absent.'),
    require_two_factor: z
      .boolean({ error: 'The require_two_factor must be true or false.' })
      .describe('Whether members need a second factor from the next request on. Unchanged when absent.'),
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
  slug: newSlug.describe(
    'Identifies the workspace in paths and abilities for good: 1 to 63 characters from a-z, 0-9 and `-`, which neither ' +
      'begins nor ends it. No other workspace may have or have had it, and some words are reserved.',
  ),
  name: nameOf(100).describe('Name for people, 1 to 100 characters; it need not be unique.'),
});

/** A deletion cannot be undone. */
export const deleteWorkspace = z.object({
  confirm: requiredText('confirm').describe('The slug of the workspace, so that none is deleted by mistake.'),
});

export const member = z
  .object({
    user: z.object(userFields).describe('The user who is the member.'),
    role: role.describe('The role of the member in the workspace.'),
    created_at: timestamp.describe('When the user became a member, in UTC.'),
    updated_at: timestamp.describe('When the role last changed, in UTC; the same as `created_at` if it never did.'),
  })
  .describe('The membership of a user in a workspace.');
export type MemberBody = z.infer<typeof member>;

export const memberSort = z.enum(['created_at', '-created_at', 'updated_at', '-updated_at'], {
  error: 'The sort must be created_at or updated_at, with a - before it for descending.',
});
export type MemberSort = z.infer<typeof memberSort>;

const roleField = choice('role', role.options).describe(
  'The new role; only an owner grants and removes `owner`. Unchanged when absent.',
);

export const updateMember = z.object({ role: roleField }).partial();

const memberOrder = memberSort
  .default('-created_at')
  .describe('Order of the members; `-` is descending. The newest first by default.');

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
    query: optionalPage.extend({ updated_since: updatedSince, sort: memberOrder }),
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
