import { outOfRange } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { TokenContext } from './context.js';

/**
 * Returns the expiry of a new token, which is never later than the expiry of the token that mints it. A session may mint tokens without
 * expiry.
 * @throws AppError `validation_failed` when the requested expiry is later
 */
export async function resolveExpiry(
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
