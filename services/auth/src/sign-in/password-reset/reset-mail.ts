import type { Database } from '@waymark/kernel/mongo/database';
import type { Mail } from '../../mail/mail-store.js';
import type { ComposeMail } from '../../mail/mail-worker.js';
import { oneTimeLinkUrl, type OneTimeLinkStore } from '../../secrets/one-time-link-store.js';
import { isDisabled, type User, type UserStore } from '../../users/user-store.js';
import type { WorkspaceStore } from '../../workspaces/workspace-store.js';
import { issueResetLink } from './issue-reset-link.js';

export interface ResetMailContext {
  config: { API_BASE_URL: string };
  db: Database;
  users: Pick<UserStore, 'findUserByEmail'>;
  workspaces: Pick<WorkspaceStore, 'findEnteredWorkspaces'>;
  links: OneTimeLinkStore;
}

/** Issues a new link for each attempt to send: only its hash is stored. */
export function resetMailComposer(ctx: ResetMailContext): ComposeMail {
  return async (mail) => {
    const user = await ctx.users.findUserByEmail(mail.subject);
    if (!user || isDisabled(user)) return null;
    const url = await createLink(ctx, mail, user);
    return { to: user.email, subject: 'Reset your Waymark password', text: textOf(user, url) };
  };
}

async function createLink(ctx: ResetMailContext, mail: Mail, user: User): Promise<string> {
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const event = { workspace: null, ipAddress: mail.ipAddress, requestId: mail.requestId };
  const issue = { user, workspaces, event, isMailed: true };
  const { token } = await ctx.db.transaction((tx) => issueResetLink(ctx.links, issue, tx));
  return oneTimeLinkUrl(ctx.config.API_BASE_URL, 'password_reset', token);
}

const textOf = ({ name, email }: User, url: string): string => `Hello ${name},

A new password was requested for the Waymark account ${email}
at ${new URL(url).host}.

To choose a new password, open this link. It works once, within one hour:

${url}

If you did not expect this mail, ignore it: your password stays as it is.
`;
