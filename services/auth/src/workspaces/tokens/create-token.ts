import type { ClientSession } from 'mongoose';
import type { EventContext } from '@waymark/contract/event';
import { tokenCreated } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { abilityName, type Ability } from '@waymark/contract/roles';
import { AppError } from '@waymark/kernel/errors';
import { checkCap } from '../../limits/check-cap.js';
import { hashSecret } from '../../secrets/hash-secret.js';
import type { TokenContext } from './context.js';
import { createPlaintextToken, visiblePrefix } from './plaintext-token.js';
import type { Token } from './token-store.js';

export interface NewToken {
  workspace: string;
  userId: string;
  name: string;
  grants: Ability[];
  expiresAt: Date | null;
  /** The token that makes the request. */
  minterId?: string | null;
}

export interface MintedToken {
  token: Token;
  plaintext: string;
}

/**
 * Mints a token; only the response contains its plaintext.
 * @throws AppError `validation_failed` when the workspace has reached its limit; `unauthenticated` when the minting token
 * has been revoked meanwhile; `forbidden` when the user has lost the membership meanwhile
 */
export async function createToken(
  ctx: Pick<TokenContext, 'db' | 'tokens' | 'workspaces' | 'config'>,
  event: EventContext,
  input: NewToken,
): Promise<MintedToken> {
  const plaintext = createPlaintextToken();
  const token: Token = {
    _id: newId('tok'),
    hash: hashSecret(plaintext),
    prefix: visiblePrefix(plaintext),
    name: input.name,
    userId: input.userId,
    workspace: input.workspace,
    grants: input.grants,
    abilities: input.grants.map((grant) => abilityName(input.workspace, grant)),
    lastUsedAt: null,
    expiresAt: input.expiresAt,
    createdAt: new Date(),
    revokedAt: null,
    createdByTokenId: input.minterId ?? null,
    ancestorIds: [],
  };
  return ctx.db.transaction(async (tx) => {
    await ctx.workspaces.lockMembers(input.workspace, tx.session);
    // The removal has revoked the tokens of this member: another one would work again once the user is added again.
    if (!(await ctx.workspaces.findMembership(input.workspace, input.userId, tx.session)))
      throw new AppError('forbidden', 'You have no access to this workspace.');
    const current = await ctx.tokens.countTokens(input.workspace, tx.session);
    checkCap({ resource: 'tokens', owner: 'workspace', limit: ctx.config.MAX_TOKENS_PER_WORKSPACE, current });
    await ctx.tokens.insertToken({ ...token, ancestorIds: await findAncestors(ctx, input, tx.session) }, tx.session);
    await ctx.tokens.deleteOldRevoked(input.workspace, input.userId, tx.session);
    tx.emit(
      tokenCreated.create(
        event,
        { token_id: token._id, name: token.name, user_id: token.userId },
        {
          target: { type: 'token', id: token._id, label: token.name },
          changes: {
            abilities: { from: null, to: token.abilities },
            workspace: { from: null, to: token.workspace },
            ...(token.createdByTokenId && { created_by_token_id: { from: null, to: token.createdByTokenId } }),
          },
        },
      ),
    );
    return { token, plaintext };
  });
}

/** Leaves out revoked tokens: they can mint nothing more, so the list never exceeds the cap of a workspace. */
async function findAncestors(
  ctx: Pick<TokenContext, 'tokens'>,
  { minterId }: NewToken,
  session: ClientSession,
): Promise<string[]> {
  if (!minterId) return [];
  const minter = await ctx.tokens.findToken(minterId, session);
  if (!minter || minter.revokedAt) throw new AppError('unauthenticated', 'Unauthenticated.');
  return ctx.tokens.findUnrevoked([...(minter.ancestorIds ?? []), minterId], session);
}
