import type { ClientSession } from 'mongoose';
import { AppError } from '@waymark/kernel/errors';
import type { UserStore } from '../users/user-store.js';
import type { WorkspaceStore } from './workspace-store.js';

export interface AddMemberContext {
  users: Pick<UserStore, 'lockUser'>;
  workspaces: Pick<WorkspaceStore, 'addMember'>;
}

/**
 * Adds a member. Call it in a transaction, after `lockMembers` or with the new workspace.
 * @throws AppError `not_found` when the user has been erased meanwhile
 */
export async function addMember(
  { users, workspaces }: AddMemberContext,
  membership: Parameters<WorkspaceStore['addMember']>[0],
  session: ClientSession,
): Promise<void> {
  if (!(await users.lockUser(membership.userId, session))) throw new AppError('not_found', 'The user does not exist.');
  await workspaces.addMember(membership, session);
}
