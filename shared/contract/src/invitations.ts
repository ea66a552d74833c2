import { z } from 'zod';
import { choice, item, listOrPage, nameOf, optionalPage } from './common.js';
import { ADMINISTRATORS, role } from './roles.js';
import type { RouteDefinition } from './route.js';
import {
  emailAddress,
  grantedRole,
  invitationTimes,
  inviterName,
  linkToken,
  passwordOf,
  userFields,
  workspaceFields,
} from './users.js';

const roleField = choice('role', role.options).describe(
  'The role that the person gets by accepting; only an owner grants `owner`.',
);

export const invitation = z
  .object({
    id: z.string().describe('Id of the invitation, `inv_…`.'),
    email: z
      .string()
      .nullable()
      .describe(
        'The only address whose owner may accept; `null` for an invitation that anyone with the link may accept.',
      ),
    role: grantedRole,
    invited_by: z
      .object({ id: userFields.id, name: inviterName })
      .describe('The person who sent it. While they cannot grant the role, accepting is a 409.'),
    ...invitationTimes,
  })
  .describe('An offer of a role in a workspace, which waits for an answer.');
export type InvitationBody = z.infer<typeof invitation>;

/** What the holder of a link learns before accepting it. */
export const shownInvitation = z
  .object({
    workspace: z
      .object({ name: workspaceFields.name })
      .describe('The workspace that the holder of the link is invited to.'),
    role: grantedRole,
    invited_by: z.object({ name: inviterName }).describe('The person who sent it.'),
    is_for_one_email: z.boolean().describe('Whether only the owner of one e-mail address may accept.'),
    email: z
      .string()
      .nullable()
      .describe('The address that this link was mailed to; `null` for every link that was not mailed.'),
    allows_new_account: z
      .boolean()
      .describe('Whether a person without an account may accept and get one; the operator can switch that off.'),
    expires_at: invitationTimes.expires_at,
  })
  .describe('An invitation as the holder of its link sees it before accepting.');
export type ShownInvitationBody = z.infer<typeof shownInvitation>;

/** The membership that an accepted invitation made. */
export const acceptedInvitation = z
  .object({
    workspace: z.object(workspaceFields).describe('The workspace that the user is now a member of.'),
    role: role.describe('The role that the user has in it now.'),
    user: z.object(userFields).describe('The user who accepted; a new one where the request created an account.'),
  })
  .describe('The membership that the invitation made.');
export type AcceptedInvitationBody = z.infer<typeof acceptedInvitation>;

export const createInvitation = z.object({
  email: emailAddress
    .nullish()
    .describe(
      'Address whose owner alone may accept, at most 254 characters. Absent or `null`: anyone with the link may.',
    ),
  role: roleField,
});
export const addMember = z.object({
  email: emailAddress.describe(
    'Address whose owner alone may accept, at most 254 characters; it need not have an account yet.',
  ),
  role: roleField,
});

/** The account of a user who has none. */
export const acceptInvitation = z
  .object({
    name: nameOf(100).describe('Name of the new account for people, 1 to 100 characters.'),
    email: emailAddress.describe(
      'Address of the new account, at most 254 characters; the invited one where the invitation is for one address.',
    ),
    password: passwordOf('password'),
  })
  .partial();

export const lookUpInvitation = z.object({ token: linkToken });
export const acceptInvitationByToken = lookUpInvitation.extend(acceptInvitation.shape);

const invitations = '/workspaces/{workspace}/invitations';
const withToken = '/invitations/{token}';
const ofUser = '/user/invitations/{id}';
const read = { kind: 'workspace', ability: 'read', roles: ADMINISTRATORS } as const;
const write = { kind: 'workspace', ability: 'write', roles: ADMINISTRATORS } as const;
const issued = item(
  invitation,
  z
    .object({
      invite_url: z
        .string()
        .describe('URL at which the invited person accepts; it is shown once. The part behind `#` is the token.'),
      mailed: z
        .boolean()
        .describe('Whether the address also gets a mail with a link of its own, unless it got several that day.'),
    })
    .describe('How the invited person gets the invitation.'),
);

export const invitationRoutes = {
  'invitations.list': {
    method: 'GET',
    path: invitations,
    versions: ['v1'],
    service: 'auth',
    access: read,
    query: optionalPage,
    response: { status: 200, schema: listOrPage(invitation) },
  },
  'invitations.create': {
    method: 'POST',
    path: invitations,
    versions: ['v1'],
    service: 'auth',
    access: write,
    body: createInvitation,
    idempotent: 'secret',
    response: { status: 201, schema: issued },
  },
  'invitations.delete': {
    method: 'DELETE',
    path: `${invitations}/{id}`,
    versions: ['v1'],
    service: 'auth',
    access: write,
    response: { status: 204 },
  },
  // Beside the other routes of members: before invitations it made the user a member at once.
  'members.add': {
    method: 'POST',
    path: '/workspaces/{workspace}/members',
    service: 'auth',
    access: write,
    body: addMember,
    idempotent: 'secret',
    response: { status: 201, schema: issued },
  },
  'invitations.show': {
    method: 'GET',
    path: withToken,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    response: { status: 200, schema: item(shownInvitation) },
  },
  'invitations.accept': {
    method: 'POST',
    path: `${withToken}/accept`,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public', session: true },
    body: acceptInvitation,
    response: { status: 200, schema: item(acceptedInvitation) },
  },
  // The same two with the token in the body: the log of a proxy keeps paths.
  'invitations.lookUp': {
    method: 'POST',
    path: '/invitations/look-up',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    body: lookUpInvitation,
    response: { status: 200, schema: item(shownInvitation) },
  },
  'invitations.acceptByToken': {
    method: 'POST',
    path: '/invitations/accept',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public', session: true },
    body: acceptInvitationByToken,
    response: { status: 200, schema: item(acceptedInvitation) },
  },
  'user.acceptInvitation': {
    method: 'POST',
    path: `${ofUser}/accept`,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 200, schema: item(acceptedInvitation) },
  },
  'user.declineInvitation': {
    method: 'POST',
    path: `${ofUser}/decline`,
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
