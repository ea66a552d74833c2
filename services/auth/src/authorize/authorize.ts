import type { AuthorizeAnswer, AuthorizeQuestion } from '@waymark/shared/contract/authorize';
import type { Actor, WorkspaceAccess } from '@waymark/shared/contract/identity';
import type { Ability } from '@waymark/shared/contract/roles';
import type { AuthContext } from '../context.js';
import { isWellFormed, hashOf } from '../tokens/plaintext.js';
import type { Membership, Workspace } from '../workspaces/store.js';

interface Principal {
  userId: string;
  sessionId: string | null;
  tokenId: string | null;
  tokenName: string | null;
  /** What the credential allows in this workspace, before the member's role is asked. */
  abilitiesIn(workspace: string): Ability[];
}

/** Who it is, what they may do in this workspace, and whether their limit has room: in one answer, from the store. */
export async function authorize(ctx: AuthContext, question: AuthorizeQuestion): Promise<AuthorizeAnswer> {
  const principal = await findPrincipal(ctx, question.credential);
  if (!principal) return { outcome: 'unauthenticated' };
  const { workspace: slug } = question;
  const [user, membership, workspace] = await Promise.all([
    ctx.users.byId(principal.userId),
    slug === null ? null : ctx.workspaces.membership(slug, principal.userId),
    slug === null ? null : ctx.workspaces.bySlug(slug),
  ]);
  if (!user) return { outcome: 'unauthenticated' };

  const actor: Actor = {
    type: principal.tokenId === null ? 'user' : 'token',
    id: user._id,
    name: principal.tokenName ?? user.name,
    email: user.email,
    token_id: principal.tokenId,
  };
  const isMember = membership !== null && workspace !== null;
  return {
    outcome: 'authenticated',
    actor,
    sessionId: principal.sessionId,
    access: isMember ? accessOf(ctx, principal, membership, workspace) : null,
    limit: isMember ? await ctx.limit.take(`${user._id}:${workspace._id}`) : null,
  };
}

async function findPrincipal(ctx: AuthContext, credential: AuthorizeQuestion['credential']): Promise<Principal | null> {
  if (credential.type === 'session') {
    const session = await ctx.sessions.byPlaintext(credential.session);
    if (!session) return null;
    const everything = (): Ability[] => ['read', 'write'];
    return { userId: session.userId, sessionId: session._id, tokenId: null, tokenName: null, abilitiesIn: everything };
  }
  if (!isWellFormed(credential.token)) return null;
  const token = await ctx.tokens.byHash(hashOf(credential.token));
  if (!token || (token.expiresAt && token.expiresAt <= new Date())) return null;
  return {
    userId: token.userId,
    sessionId: null,
    tokenId: token._id,
    tokenName: token.name,
    abilitiesIn: (workspace) => (workspace === token.workspace ? token.grants : []),
  };
}

function accessOf(
  ctx: AuthContext,
  principal: Principal,
  membership: Membership,
  workspace: Workspace,
): WorkspaceAccess | null {
  const abilities = principal.abilitiesIn(workspace._id);
  if (abilities.length === 0) return null;
  return {
    slug: workspace._id,
    role: membership.role,
    abilities,
    plan: ctx.plans[workspace.plan ?? ctx.config.DEFAULT_PLAN],
  };
}
