import { invalid } from '@waymark/shared/kernel/errors';
import type { AuthContext } from '../context.js';

/**
 * When a new token ends: no token outlives the one that it was minted with. What a session mints may last for ever.
 * @throws AppError `validation_failed` when it is asked to
 */
export async function checkExpiry(
  ctx: Pick<AuthContext, 'tokens'>,
  asked: Date | null,
  minterId: string | null,
): Promise<Date | null> {
  const minter = minterId === null ? null : await ctx.tokens.byId(minterId);
  const latest = minter?.expiresAt ?? null;
  if (latest === null) return asked;
  if (asked === null) return latest;
  if (asked <= latest) return asked;
  throw invalid({ expires_at: ['The expires_at must not be after that of the token you use.'] });
}
