import type { AuthorizeRequest, AuthorizeResponse } from '@waymark/contract/authorize';
import type { Actor, WorkspaceAccess } from '@waymark/contract/identity';
import { hasSecondFactor } from '../users/second-factor.js';
import { isDisabled, type User } from '../users/user-store.js';
import type { Membership, Workspace } from '../workspaces/workspace-store.js';
import type { AuthorizeContext } from './context.js';
import { findPrincipals, grantedAbilities, noteRejectedUse, type Principal } from './principals.js';

const TIMEOUT_MS = 3000;

/** A caller whose credential is valid, and what the database says about the caller in the requested workspace. */
interface Caller {
  principal: Principal;
  user: User;
  /** Whether the request names a workspace. */
  isInWorkspace: boolean;
  membership: Membership | undefined;
  workspace: Workspace | undefined;
}

/**
 * Returns who each caller is, what they may do in the workspace, and whether the rate limit allows the request. Reads
 * everything after the requests have arrived and caches nothing, so it respects every earlier revocation.
 */
export async function authorize(ctx: AuthorizeContext, requests: AuthorizeRequest[]): Promise<AuthorizeResponse[]> {
  const deadline = performance.now() + TIMEOUT_MS;
  const callers = await findCallers(ctx, requests);
  const lackingFactor = await findCallersLackingFactor(ctx, callers);
  return Promise.all(
    callers.map((caller) =>
      respond(ctx, caller, { deadline, lacksSecondFactor: caller !== null && lackingFactor.has(caller) }),
    ),
  );
}

async function findCallers(ctx: AuthorizeContext, requests: AuthorizeRequest[]): Promise<(Caller | null)[]> {
  const principals = await findPrincipals(ctx, requests);
  const userIds = unique(principals.flatMap((principal) => principal?.userId ?? []));
  if (userIds.length === 0) return requests.map(() => null);
  const pairs = requests.flatMap(({ workspace }, index) => {
    const userId = principals[index]?.userId;
    return workspace === null || userId === undefined ? [] : { workspace, userId };
  });
  const [users, memberships, workspaces] = await Promise.all([
    ctx.users.findUsers(userIds),
    pairs.length === 0 ? [] : ctx.workspaces.findMemberships(pairs),
    pairs.length === 0 ? [] : ctx.workspaces.findWorkspaces(unique(pairs.map(({ workspace }) => workspace))),
  ]);
  const usersById = new Map(users.map((user) => [user._id, user]));
  const workspacesBySlug = new Map(workspaces.map((workspace) => [workspace._id, workspace]));
  const membershipsByKey = new Map(memberships.map((membership) => [limitKey(membership), membership]));
  return requests.map(({ workspace, ip_address: ipAddress }, index) => {
    const principal = principals[index];
    const user = principal && usersById.get(principal.userId);
    if (!principal || !user) return null;
    if (isDisabled(user)) return rejectDisabled(ctx, principal, ipAddress);
    if (workspace === null) {
      return { principal, user, isInWorkspace: false, membership: undefined, workspace: undefined };
    }
    const membership = membershipsByKey.get(limitKey({ workspace, userId: user._id }));
    return { principal, user, isInWorkspace: true, membership, workspace: workspacesBySlug.get(workspace) };
  });
}

/** Finds the callers whose workspace requires a second factor that they do not have. */
async function findCallersLackingFactor(
  ctx: AuthorizeContext,
  callers: (Caller | null)[],
): Promise<ReadonlySet<Caller>> {
  const checked = callers.filter(
    (caller): caller is Caller => caller?.workspace?.requiresTwoFactor === true && caller.membership !== undefined,
  );
  // Only tokens need the look-up: a session knows how it began.
  const asked = checked.filter(({ principal, user }) => principal.token !== null && !user.totp);
  const linked = asked.length === 0 ? null : await ctx.identities.findLinkedUsers(asked.map(({ user }) => user._id));
  const lacking = checked.filter(
    ({ principal, user }) => !hasSecondFactor(user, principal.session, linked?.has(user._id) ?? false),
  );
  return new Set(lacking);
}

/** Reports the token as it does a revoked one; the sessions of a disabled user have been deleted. */
function rejectDisabled(ctx: AuthorizeContext, { token }: Principal, address: string | null): null {
  if (token) noteRejectedUse(ctx, token, address);
  return null;
}

interface Terms {
  deadline: number;
  lacksSecondFactor: boolean;
}

/** A request that fails, e.g. for a damaged row, must not fail the others of its batch. */
async function respond(ctx: AuthorizeContext, caller: Caller | null, terms: Terms): Promise<AuthorizeResponse> {
  if (!caller) return { outcome: 'unauthenticated' };
  try {
    return await respondToCaller(ctx, caller, terms);
  } catch (error) {
    ctx.log.warn({ err: error }, 'a request could not be authorized');
    return { outcome: 'unavailable' };
  }
}

async function respondToCaller(
  ctx: AuthorizeContext,
  caller: Caller,
  { deadline, lacksSecondFactor }: Terms,
): Promise<AuthorizeResponse> {
  const { principal, user, isInWorkspace, membership, workspace } = caller;
  noteUse(ctx, principal);
  const identified = {
    outcome: 'authenticated' as const,
    actor: actorOf(caller),
    sessionId: principal.session?._id ?? null,
    lacksSecondFactor: false,
  };
  const isMember = membership !== undefined && workspace !== undefined;
  if (isInWorkspace && !isMember) return { ...identified, access: null, suspended: null, limit: null };
  const suspended = suspensionOf(caller);
  if (suspended !== null) return { ...identified, access: null, suspended, limit: null };
  if (lacksSecondFactor && hasAbilities(caller))
    return { ...identified, access: null, suspended: null, lacksSecondFactor, limit: null };
  const key = limitKey({ userId: user._id, workspace: membership?.workspace ?? NO_WORKSPACE });
  const limit = await ctx.requestLimit.admitRequest(key, { now: principal.now, deadline });
  const access = isMember ? accessOf(ctx, principal, { membership, workspace }) : null;
  return { ...identified, access, suspended: null, limit };
}

/** Only a credential with abilities in the workspace learns of it. */
const hasAbilities = ({ principal, workspace }: Caller): boolean =>
  workspace !== undefined && grantedAbilities(workspace._id, principal).length > 0;

const suspensionOf = (caller: Caller): string | null =>
  caller.workspace?.suspension && hasAbilities(caller) ? caller.workspace.suspension.reason : null;

function actorOf({ principal: { token }, user }: Caller): Actor {
  return {
    type: token ? 'token' : 'user',
    id: user._id,
    name: user.name,
    email: user.email,
    token_id: token?._id ?? null,
    token: token && { id: token._id, name: token.name },
  };
}

function accessOf(
  ctx: AuthorizeContext,
  principal: Principal,
  { membership, workspace }: { membership: Membership; workspace: Workspace },
): WorkspaceAccess | null {
  const abilities = grantedAbilities(workspace._id, principal);
  if (abilities.length === 0) return null;
  return {
    slug: workspace._id,
    role: membership.role,
    abilities,
    plan: ctx.plans[workspace.plan ?? ctx.config.DEFAULT_PLAN],
  };
}

/** A user's requests to routes without a workspace share one limit. */
const NO_WORKSPACE = '';
const limitKey = ({ userId, workspace }: { userId: string; workspace: string }) => `${userId}:${workspace}`;
const unique = (values: string[]) => [...new Set(values)];

function noteUse(ctx: AuthorizeContext, { token, session, now }: Principal): void {
  if (token) ctx.tokenUse.noteUse({ id: token._id, lastUsedAt: token.lastUsedAt }, now);
  if (session) ctx.sessionUse.noteUse({ id: session._id, lastUsedAt: session.lastSeenAt ?? null }, now);
}
