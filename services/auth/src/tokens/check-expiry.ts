import { invalid } from '@waymark/kernel/errors';
import type { AuthContext } from '../context.js';

/**
 * Returns the expiry of a new token: never after that of the token that mints it. A session may mint tokens without
 * expiry.
 * @throws AppError `validation_failed` when the requested expiry is later
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
