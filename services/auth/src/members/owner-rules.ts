import type { ClientSession } from 'mongoose';
import type { Role } from '@waymark/shared/contract/roles';
import { AppError } from '@waymark/shared/kernel/errors';
import type { Membership, WorkspaceStore } from '../workspaces/store.js';

/** On whose behalf a member is changed. */
export type By = Role | 'operator';

/** @throws AppError `forbidden` when somebody else than an owner would make or unmake one. */
export function checkMayChangeOwner(by: By, ...roles: (Role | undefined)[]): void {
  if (!roles.includes('owner') || by === 'owner' || by === 'operator') return;
  throw new AppError('forbidden', 'Only an owner grants or removes the owner role.');
}

/**
 * To be asked after `lockMembers`, in the same transaction.
 * @throws AppError `conflict`: a workspace without an owner could never be managed again
 */
export async function checkAnotherOwner(
  workspaces: WorkspaceStore,
  membership: Membership,
  session: ClientSession,
): Promise<void> {
  if (membership.role !== 'owner') return;
  if ((await workspaces.countOwners(membership.workspace, session)) > 1) return;
  throw new AppError('conflict', 'The last owner of a workspace cannot be removed or demoted.');
}
