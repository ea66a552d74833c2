import { z } from 'zod';
import { choice, item, listOrPage, nameOf, optionalPage, timestamp } from './common.js';
import { ADMINISTRATORS, role } from './roles.js';
import type { RouteDefinition } from './route.js';
import { emailAddress, linkToken, passwordOf } from './users.js';

const roleField = choice('role', role.options);

export const invitation = z.object({
  id: z.string(),
  email: z.string().nullable().meta({
    description:
      'The only address whose owner may accept; `null` for an invitation that anyone with the link may accept.',
  }),
  role,
  invited_by: z.object({ id: z.string(), name: z.string() }),
  created_at: timestamp,
  expires_at: timestamp,
});
export type InvitationBody = z.infer<typeof invitation>;

/** What the holder of a link learns before accepting it. */
export const shownInvitation = z.object({
  workspace: z.object({ name: z.string() }),
  role,
  invited_by: z.object({ name: z.string() }),
  is_for_one_email: z.boolean().meta({ description: 'Whether only the owner of one e-mail address may accept.' }),
  email: z.string().nullable().meta({
    description: 'The address that this link was mailed to; `null` for every link that was not mailed.',
  }),
  allows_new_account: z.boolean().meta({
    description: 'Whether a person without an account may accept and get one; the operator can switch that off.',
  }),
  expires_at: timestamp,
});
export type ShownInvitationBody = z.infer<typeof shownInvitation>;

/** The membership that an accepted invitation made. */
export const acceptedInvitation = z.object({
  workspace: z.object({ slug: z.string(), name: z.string() }),
  role,
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
});
export type AcceptedInvitationBody = z.infer<typeof acceptedInvitation>;

export const createInvitation = z.object({ email: emailAddress.nullish(), role: roleField });
export const addMember = z.object({ email: emailAddress, role: roleField });

/** The account of a user who has none. */
export const acceptInvitation = z
  .object({ name: nameOf(100), email: emailAddress, password: passwordOf('password') })
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
  z.object({
    invite_url: z.string().meta({
      description: 'Where the invited person accepts; shown once. The part behind `#` is the token.',
    }),
    mailed: z.boolean().meta({
      description: 'Whether the address also gets a mail with a link. One address gets a few such mails a day.',
    }),
  }),
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
