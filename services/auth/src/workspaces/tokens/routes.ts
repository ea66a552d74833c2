import { lastMomentOf } from '@waymark/contract/date-or-time';
import { ADMINISTRATORS, type Ability } from '@waymark/contract/roles';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { ApiRequest, Handlers } from '@waymark/kernel/http/api';
import { created, listOrPage, mapPage, noContent } from '@waymark/kernel/http/reply';
import { outOfRange } from '@waymark/contract/problems';
import type { User } from '../../users/user-store.js';
import type { TokenContext } from './context.js';
import { createToken, type MintedToken } from './create-token.js';
import { presentToken } from './present-token.js';
import { revokeToken } from './revoke-token.js';
import type { Token } from './token-store.js';

const GRANTS = { read_only: ['read'], read_write: ['read', 'write'] } as const satisfies Record<
  string,
  readonly Ability[]
>;

export function tokenHandlers(
  ctx: TokenContext,
): Pick<Handlers<'auth'>, 'tokens.list' | 'tokens.create' | 'tokens.revoke'> {
  return {
    'tokens.list': (request) =>
      listOrPage({ query: request.query, url: request.url, max: ctx.config.MAX_TOKENS_PER_WORKSPACE }, async (page) => {
        const tokens = await ctx.tokens.listTokens(request.workspace.slug, visibleUser(request), page);
        const users = await ctx.users.findUsers([...new Set(tokens.items.map((token) => token.userId))]);
        const byId = new Map(users.map((user) => [user._id, user]));
        return mapPage(tokens, (token) => presentToken(token, byId.get(token.userId)!));
      }),
    'tokens.create': async ({ body, workspace, identity, eventContext, once }) => {
      const user = await ctx.users.findUser(identity.actor.id!);
      if (!user) throw new AppError('unauthenticated', 'Unauthenticated.');
      const requested = body.expires_at ? lastMomentOf(body.expires_at) : null;
      const input = {
        workspace: workspace.slug,
        userId: user._id,
        name: body.name,
        grants: [...GRANTS[body.scope]],
        expiresAt: await resolveExpiry(ctx, requested, identity.actor.token_id),
        minterId: identity.actor.token_id,
      };
      return once(
        () => createToken(ctx, eventContext, input),
        ({ token, plaintext }: MintedToken) => created(presentToken(token, user), null, { plaintext_token: plaintext }),
      );
    },
    'tokens.revoke': async (request) => {
      const check = request.condition(({ token, user }: { token: Token; user: User }) => presentToken(token, user));
      await revokeToken(ctx, request.eventContext, {
        workspace: request.workspace.slug,
        id: request.params['tokenId']!,
        userId: visibleUser(request),
        cascade: request.query.cascade,
        check,
      });
      return noContent();
    },
  };
}

/** Members see and revoke their own tokens; owners and admins those of every member (`undefined`). */
function visibleUser({ workspace, identity }: Pick<ApiRequest, 'workspace' | 'identity'>): string | undefined {
  return ADMINISTRATORS.includes(workspace.role) ? undefined : identity.actor.id!;
}

/**
 * Returns the expiry of a new token, which is never later than the expiry of the token that mints it. A session may mint tokens without
 * expiry.
 * @throws AppError `validation_failed` when the requested expiry is later
 */
async function resolveExpiry(
  ctx: Pick<TokenContext, 'tokens'>,
  requested: Date | null,
  minterId: string | null,
): Promise<Date | null> {
  const minter = minterId === null ? null : await ctx.tokens.findToken(minterId);
  const latest = minter?.expiresAt ?? null;
  if (latest === null) return requested;
  if (requested === null) return latest;
  if (requested <= latest) return requested;
  throw invalid({
    expires_at: [
      outOfRange('expires_at', 'not be later than the expires_at of the token that makes this request', {
        max: latest,
      }),
    ],
  });
}
