import { userUpdated } from '@waymark/contract/events';
import type { EventContext } from '@waymark/contract/event';
import type { User } from '../users/user-store.js';
import type { AdminContext } from './context.js';

/**
 * Records that the user owns the e-mail address of an account that an invitation link made: single sign-on and invitations
 * to the address then reach it.
 * @returns false when nothing was in doubt
 */
export async function confirmEmail(
  ctx: Pick<AdminContext, 'db' | 'users' | 'workspaces'>,
  event: EventContext,
  { _id: id, email }: User,
): Promise<boolean> {
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(id);
  const target = { type: 'user', id, label: email };
  const changes = { email_confirmed: { from: false, to: true } };
  return ctx.db.transaction(async (tx) => {
    if (!(await ctx.users.confirmEmail(id, tx.session))) return false;
    tx.emit(userUpdated.create(event, { user_id: id, email, workspaces }, { target, changes }));
    return true;
  });
}
