import type { Database } from '@waymark/kernel/mongo/database';
import type { WindowCounter } from '../../limits/window-counter.js';
import type { ComposeMail } from '../../mail/mail-worker.js';
import { oneTimeLinkUrl, type OneTimeLinkStore } from '../../secrets/one-time-link-store.js';
import { hashSecret } from '../../secrets/hash-secret.js';
import { emailKey, type UserStore } from '../../users/user-store.js';
import { mayInviteNewPeople, type GrowthConfig } from '../growth.js';
import type { WorkspaceStore } from '../workspace-store.js';
import { mayGrant } from './accept-invitation.js';
import type { Invitation, InvitationStore } from './invitation-store.js';

export interface InvitationMailContext {
  config: Pick<GrowthConfig, 'INVITE_NEW_PEOPLE'> & { API_BASE_URL: string };
  db: Database;
  users: Pick<UserStore, 'findUser' | 'findUserByEmail'>;
  workspaces: Pick<WorkspaceStore, 'findMembership' | 'findWorkspace' | 'findMembershipsOfUser' | 'findWorkspaces'>;
  invitations: Pick<InvitationStore, 'findInvitation'>;
  links: OneTimeLinkStore;
  limits: WindowCounter;
}

/** Returns the key of an address in the limit on mailed invitations. */
export const mailedInvitationKey = (email: string): string => hashSecret(emailKey(email));

/** Issues a new link for each attempt to send: only its hash is stored. */
export function invitationMailComposer(ctx: InvitationMailContext): ComposeMail {
  return async ({ subject: id, attempts }) => {
    const invitation = await ctx.invitations.findInvitation({ id });
    if (!invitation?.email || !(await mayGrant(ctx, invitation))) return null;
    // Without an account the link would be useless. Dropping the mail here does not tell the inviter who has one.
    if (!(await ctx.users.findUserByEmail(invitation.email)) && !(await mayInviteNewPeople(ctx, invitation.invitedBy)))
      return null;
    const [workspace, inviter] = await Promise.all([
      ctx.workspaces.findWorkspace(invitation.workspace),
      ctx.users.findUser(invitation.invitedBy),
    ]);
    if (!workspace || !inviter) return null;
    if (attempts === 1 && !(await isWithinLimit(ctx, invitation.email))) return null;
    const link = { kind: 'invitation', subject: id, isMailed: true } as const;
    const { token } = await ctx.db.transaction((tx) => ctx.links.issueLink(link, tx.session));
    const url = oneTimeLinkUrl(ctx.config.API_BASE_URL, 'invitation', token);
    const text = textOf({ workspace: oneLine(workspace.name), inviter: oneLine(inviter.name), invitation, url });
    return { to: invitation.email, subject: 'You are invited to a Waymark workspace', text };
  };
}

/** Dropping the mail here, and not when the user invites, does not tell inviters of each other. */
async function isWithinLimit({ limits }: InvitationMailContext, email: string): Promise<boolean> {
  return (await limits.count([{ limit: 'mailedInvitations', key: mailedInvitationKey(email) }])) === 0;
}

/** Names are the text of strangers: they stay within their line of the mail, and are never part of a header. */
const oneLine = (name: string): string => name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

interface MailParts {
  workspace: string;
  inviter: string;
  invitation: Invitation;
  url: string;
}

const textOf = ({ workspace, inviter, invitation: { role, email, expiresAt }, url }: MailParts): string => `Hello,

"${inviter}"
invites ${email}
to the workspace "${workspace}"
with the role ${role} at ${new URL(url).host}.

To accept the invitation, open this link. It works once, until ${expiresAt.toUTCString()}:

${url}

If you did not expect this mail, ignore it: you join nothing unless you accept.
`;
