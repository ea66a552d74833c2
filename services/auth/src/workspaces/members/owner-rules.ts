import type { ClientSession } from 'mongoose';
import type { Role } from '@waymark/contract/roles';
import { AppError } from '@waymark/kernel/errors';
import type { Membership, WorkspaceStore } from '../workspace-store.js';

/** The role of the user who changes a member, the operator, or the member who leaves. */
export type ChangedBy = Role | 'operator' | 'self';

/** @throws AppError `forbidden` when a caller other than an owner grants or removes the owner role */
export function checkMayChangeOwners(changedBy: ChangedBy, ...roles: (Role | undefined)[]): void {
  if (!roles.includes('owner') || ['owner', 'operator', 'self'].includes(changedBy)) return;
  throw new AppError('forbidden', 'Only an owner can grant or remove the owner role.');
}

/**
 * Call it after `lockMembers`, in the same transaction.
 * @throws AppError `conflict`: without an owner, no member could manage the workspace
 */
export async function checkHasAnotherOwner(
  workspaces: WorkspaceStore,
  membership: Membership,
  session: ClientSession,
): Promise<void> {
  if (membership.role !== 'owner') return;
  if ((await workspaces.countOwners(membership.workspace, session)) > 1) return;
  throw new AppError('conflict', 'The last owner of a workspace cannot be removed or demoted.');
}
