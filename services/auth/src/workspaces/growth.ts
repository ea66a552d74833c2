import { AppError } from '@waymark/kernel/errors';
import type { Membership, Workspace, WorkspaceStore } from './workspace-store.js';

/** Who may create workspaces: nobody but the operator, members of a workspace that is not suspended, or every user. */
export const WORKSPACE_CREATION = ['operator', 'members', 'everyone'] as const;

export interface GrowthConfig {
  WORKSPACE_CREATION: (typeof WORKSPACE_CREATION)[number];
  WORKSPACES_PER_USER_AND_DAY: number;
  INVITE_NEW_PEOPLE: boolean;
}

interface Place {
  memberships: readonly Membership[];
  /** The workspaces of these memberships. */
  workspaces: readonly Workspace[];
}

/** Returns why a user with these memberships may not create a workspace, or `null` if they may. */
export function findCreationRefusal(config: GrowthConfig, place: Place): string | null {
  if (config.WORKSPACE_CREATION === 'operator' || config.WORKSPACES_PER_USER_AND_DAY === 0)
    return 'Only the operator creates workspaces here. Ask the operator for one.';
  if (ownsSuspended(place)) return 'The owner of a suspended workspace cannot create another one.';
  if (config.WORKSPACE_CREATION === 'everyone' || place.workspaces.some(({ suspension }) => !suspension)) return null;
  return 'Only members of a workspace that is not suspended can create one. Ask for an invitation, or ask the operator.';
}

/** @throws AppError `forbidden` */
export async function checkMayCreateWorkspace(
  { config, workspaces }: { config: GrowthConfig; workspaces: PlaceStore },
  userId: string,
): Promise<void> {
  const refusal = findCreationRefusal(config, await findPlace(workspaces, userId));
  if (refusal !== null) throw new AppError('forbidden', refusal);
}

/** Whether the invitations of this user make accounts for people who have none. */
export async function mayInviteNewPeople(
  { config, workspaces }: { config: Pick<GrowthConfig, 'INVITE_NEW_PEOPLE'>; workspaces: PlaceStore },
  userId: string,
): Promise<boolean> {
  return config.INVITE_NEW_PEOPLE && !ownsSuspended(await findPlace(workspaces, userId));
}

/** Another owner, or another workspace that is in use, changes nothing: suspending must stop this person. */
const ownsSuspended = ({ memberships, workspaces }: Place): boolean =>
  workspaces.some(
    ({ _id, suspension }) =>
      suspension && memberships.some(({ workspace, role }) => workspace === _id && role === 'owner'),
  );

type PlaceStore = Pick<WorkspaceStore, 'findMembershipsOfUser' | 'findWorkspaces'>;

async function findPlace(store: PlaceStore, userId: string): Promise<Place> {
  const memberships = await store.findMembershipsOfUser(userId);
  return { memberships, workspaces: await store.findWorkspaces(memberships.map(({ workspace }) => workspace)) };
}
