import type { AcceptedInvitationBody, InvitationBody } from '@waymark/contract/invitations';
import { accountUnusable, required } from '@waymark/contract/problems';
import type { Role } from '@waymark/contract/roles';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { ApiRequest, Handlers } from '@waymark/kernel/http/api';
import { created, item, listOrPage, mapPage, noContent, type Reply } from '@waymark/kernel/http/reply';
import { oneTimeLinkUrl } from '../../secrets/one-time-link-store.js';
import type { User } from '../../users/user-store.js';
import { mayInviteNewPeople } from '../growth.js';
import type { Acceptance } from './accept-invitation.js';
import {
  acceptLinkAsNewUser,
  acceptLinkAsUser,
  findByToken,
  noInvitationAtLink,
  type NewAccount,
} from './accept-link.js';
import { acceptListed, declineListed, deleteInvitation } from './answer-invitation.js';
import type { InvitationContext } from './context.js';
import { createInvitation, type IssuedInvitation } from './create-invitation.js';
import type { Invitation } from './invitation-store.js';

type SentNames = 'invitations.list' | 'invitations.create' | 'invitations.delete' | 'members.add';
type LinkNames = 'invitations.show' | 'invitations.accept' | 'invitations.lookUp' | 'invitations.acceptByToken';
type ListedNames = 'user.acceptInvitation' | 'user.declineInvitation';

type InviteRequest = Pick<ApiRequest, 'workspace' | 'identity' | 'eventContext' | 'once'> & { body: { role: Role } };

export function invitationHandlers(
  ctx: InvitationContext,
): Pick<Handlers<'auth'>, SentNames | LinkNames | ListedNames> {
  return { ...sentHandlers(ctx), ...linkHandlers(ctx), ...listedHandlers(ctx) };
}

/** The routes of owners and admins. */
function sentHandlers(ctx: InvitationContext): Pick<Handlers<'auth'>, SentNames> {
  return {
    'invitations.list': ({ query, workspace, url }) =>
      listOrPage({ query, url, max: ctx.config.MAX_INVITATIONS_PER_WORKSPACE }, async (page) => {
        const invitations = await ctx.invitations.listInvitations(workspace.slug, page);
        const inviters = await ctx.users.findUsers(invitations.items.map(({ invitedBy }) => invitedBy));
        const byId = new Map(inviters.map((user) => [user._id, user]));
        return mapPage(invitations, (invitation) => present(invitation, byId.get(invitation.invitedBy)));
      }),
    'invitations.create': (request) => invite(request, request.body.email ?? null),
    'members.add': (request) => invite(request, request.body.email),
    'invitations.delete': async ({ params, workspace, eventContext, condition }) => {
      const { slug } = workspace;
      const invitation = await ctx.invitations.findInvitation({ id: params['id']!, workspace: slug });
      const inviter = invitation && (await ctx.users.findUser(invitation.invitedBy));
      const check = condition((current: Invitation) => present(current, inviter ?? undefined));
      await deleteInvitation(ctx, eventContext, { workspace: slug, id: params['id']!, check });
      return noContent();
    },
  };

  async function invite(request: InviteRequest, email: string | null): Promise<Reply> {
    const { workspace, identity, eventContext, once, body } = request;
    const inviter = await ctx.users.findUser(identity.actor.id!);
    if (!inviter) throw new AppError('unauthenticated', 'Unauthenticated.');
    return once(
      () => createInvitation(ctx, eventContext, { workspace, email, role: body.role, invitedBy: inviter._id }),
      ({ invitation, token, isMailed }: IssuedInvitation) =>
        created(present(invitation, inviter), null, {
          invite_url: oneTimeLinkUrl(ctx.config.API_BASE_URL, 'invitation', token),
          mailed: isMailed,
        }),
    );
  }
}

/** The routes of those who have the link of an invitation. */
function linkHandlers(ctx: InvitationContext): Pick<Handlers<'auth'>, LinkNames> {
  return {
    'invitations.show': ({ params }) => showInvitation(ctx, params['token']!),
    'invitations.lookUp': ({ body }) => showInvitation(ctx, body.token),
    'invitations.accept': (request) => acceptLink(ctx, request, { token: request.params['token']!, ...request.body }),
    'invitations.acceptByToken': (request) => acceptLink(ctx, request, request.body),
  };
}

async function showInvitation(ctx: InvitationContext, token: string): Promise<Reply> {
  const { invitation, isMailed } = await findByToken(ctx, token);
  const [workspace, inviter, allowsNewAccount] = await Promise.all([
    ctx.workspaces.findWorkspace(invitation.workspace),
    ctx.users.findUser(invitation.invitedBy),
    mayInviteNewPeople(ctx, invitation.invitedBy),
  ]);
  if (!workspace) throw noInvitationAtLink();
  return item({
    workspace: { name: workspace.name },
    role: invitation.role,
    invited_by: { name: inviter?.name ?? '' },
    is_for_one_email: invitation.email !== null,
    // Others may have a link that was not mailed, and do not learn the address from it.
    email: isMailed ? invitation.email : null,
    allows_new_account: allowsNewAccount,
    expires_at: invitation.expiresAt.toISOString(),
  });
}

async function acceptLink(
  ctx: InvitationContext,
  { identity, eventContext }: Pick<ApiRequest, 'identity' | 'eventContext'>,
  { token, ...fields }: { token: string } & Partial<NewAccount>,
): Promise<Reply> {
  const found = await findByToken(ctx, token);
  const { invitation } = found;
  if (identity.session_id === null) {
    const account = accountIn(fields);
    return presentAcceptance(ctx, await acceptLinkAsNewUser(ctx, eventContext, { ...found, account }));
  }
  if (Object.keys(fields).length > 0) throw invalid(SIGNED_IN_ALREADY);
  const acceptance = await acceptLinkAsUser(ctx, eventContext, { invitation, userId: identity.actor.id! });
  return presentAcceptance(ctx, acceptance);
}

/** The routes of users whose address is invited. */
function listedHandlers(ctx: InvitationContext): Pick<Handlers<'auth'>, ListedNames> {
  return {
    'user.acceptInvitation': async ({ params, identity, eventContext }) => {
      const answer = { id: params['id']!, userId: identity.actor.id! };
      return presentAcceptance(ctx, await acceptListed(ctx, eventContext, answer));
    },
    'user.declineInvitation': async ({ params, identity, eventContext }) => {
      await declineListed(ctx, eventContext, { id: params['id']!, userId: identity.actor.id! });
      return noContent();
    },
  };
}

async function presentAcceptance(ctx: InvitationContext, { invitation, user }: Acceptance): Promise<Reply> {
  const workspace = await ctx.workspaces.findWorkspace(invitation.workspace);
  const body: AcceptedInvitationBody = {
    workspace: { slug: invitation.workspace, name: workspace?.name ?? invitation.workspace },
    role: invitation.role,
    user: { id: user._id, name: user.name, email: user.email },
  };
  return item(body);
}

const SIGNED_IN_ALREADY = {
  email: [accountUnusable('You are signed in. Accept without these fields, or sign out first.')],
};

/** @throws AppError `unauthenticated` without any field, `validation_failed` without some */
function accountIn(body: Partial<NewAccount>): NewAccount {
  const { name, email, password } = body;
  if (name !== undefined && email !== undefined && password !== undefined) return { name, email, password };
  const missing = (['name', 'email', 'password'] as const).filter((field) => body[field] === undefined);
  if (missing.length < 3) throw invalid(Object.fromEntries(missing.map((field) => [field, [required(field)]])));
  throw new AppError('unauthenticated', 'Sign in, or send name, email and password to create an account.');
}

function present(invitation: Invitation, inviter: User | undefined): InvitationBody {
  return {
    id: invitation._id,
    email: invitation.email,
    role: invitation.role,
    invited_by: { id: invitation.invitedBy, name: inviter?.name ?? '' },
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}
