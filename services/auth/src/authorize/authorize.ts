import type { AuthorizeAnswer, AuthorizeQuestion } from '@waymark/contract/authorize';
import type { Actor, WorkspaceAccess } from '@waymark/contract/identity';
import type { AuthContext } from '../context.js';
import type { User } from '../users/store.js';
import type { Membership, Workspace } from '../workspaces/store.js';
import { abilitiesIn, findPrincipals, type Principal } from './principals.js';

const TIMEOUT_MS = 3000;

interface Known {
  principal: Principal;
  user: User;
  /** Whether the question names a workspace. */
  isInWorkspace: boolean;
  membership: Membership | undefined;
  workspace: Workspace | undefined;
}

/**
 * Answers who each caller is, what they may do in the workspace, and whether the rate limit allows the request. Reads
 * everything after the questions have arrived and caches nothing, so it respects every earlier revocation.
 */
export async function authorize(ctx: AuthContext, questions: AuthorizeQuestion[]): Promise<AuthorizeAnswer[]> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  const everybody = await lookUp(ctx, questions);
  await noteEntries(ctx, everybody);
  return Promise.all(everybody.map((known) => answer(ctx, known, giveUpAt)));
}

async function lookUp(ctx: AuthContext, questions: AuthorizeQuestion[]): Promise<(Known | null)[]> {
  const principals = await findPrincipals(ctx, questions);
  const userIds = unique(principals.flatMap((principal) => principal?.userId ?? []));
  if (userIds.length === 0) return questions.map(() => null);
  const asked = questions.flatMap(({ workspace }, index) => {
    const userId = principals[index]?.userId;
    return workspace === null || userId === undefined ? [] : { workspace, userId };
  });
  const [users, memberships, workspaces] = await Promise.all([
    ctx.users.byIds(userIds),
    asked.length === 0 ? [] : ctx.workspaces.membershipsIn(asked),
    asked.length === 0 ? [] : ctx.workspaces.bySlugs(unique(asked.map(({ workspace }) => workspace))),
  ]);
  const userOf = new Map(users.map((user) => [user._id, user]));
  const workspaceOf = new Map(workspaces.map((workspace) => [workspace._id, workspace]));
  const membershipOf = new Map(memberships.map((membership) => [limitKey(membership), membership]));
  return questions.map(({ workspace }, index) => {
    const principal = principals[index];
    const user = principal && userOf.get(principal.userId);
    if (!principal || !user) return null;
    if (workspace === null) {
      return { principal, user, isInWorkspace: false, membership: undefined, workspace: undefined };
    }
    const membership = membershipOf.get(limitKey({ workspace, userId: user._id }));
    return { principal, user, isInWorkspace: true, membership, workspace: workspaceOf.get(workspace) };
  });
}

/** Marks the first request of a member whom another member has added to the workspace: one write per membership. */
async function noteEntries(ctx: AuthContext, everybody: (Known | null)[]): Promise<void> {
  const entering = everybody.flatMap((known) => {
    if (!known?.membership || known.membership.enteredAt) return [];
    return abilitiesIn(known.membership.workspace, known.principal).length > 0 ? [known.membership] : [];
  });
  if (entering.length === 0) return;
  await ctx.workspaces.enter(entering).catch((error: unknown) => {
    // The member's next request tries again.
    ctx.log.warn({ err: error }, 'not noted who entered a workspace');
  });
}

async function answer(ctx: AuthContext, known: Known | null, giveUpAt: number): Promise<AuthorizeAnswer> {
  if (!known) return { outcome: 'unauthenticated' };
  const { principal, user, isInWorkspace, membership, workspace } = known;
  if (principal.token) ctx.lastUse.note(principal.token, principal.now);
  const identified = {
    outcome: 'authenticated' as const,
    actor: actorOf(known),
    sessionId: principal.session?._id ?? null,
  };
  const isMember = membership !== undefined && workspace !== undefined;
  if (isInWorkspace && !isMember) return { ...identified, access: null, limit: null };
  const key = limitKey({ userId: user._id, workspace: membership?.workspace ?? NO_WORKSPACE });
  try {
    const limit = await ctx.limit.take(key, { now: principal.now, giveUpAt });
    return { ...identified, access: isMember ? accessOf(ctx, principal, membership, workspace) : null, limit };
  } catch (error) {
    ctx.log.warn({ err: error }, 'the rate limit gives no answer');
    return { outcome: 'unavailable' };
  }
}

function actorOf({ principal: { token }, user }: Known): Actor {
  return {
    type: token ? 'token' : 'user',
    id: user._id,
    name: token?.name ?? user.name,
    email: user.email,
    token_id: token?._id ?? null,
  };
}

function accessOf(
  ctx: AuthContext,
  principal: Principal,
  membership: Membership,
  workspace: Workspace,
): WorkspaceAccess | null {
  const abilities = abilitiesIn(workspace._id, principal);
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
