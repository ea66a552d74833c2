import { AppError, unavailable } from '@waymark/kernel/errors';
import { hashRecoveryCode } from '../secrets/recovery-codes.js';
import type { SecondFactor, Totp, User } from '../users/user-store.js';
import type { SessionContext } from './context.js';

export interface SecondFactorInput {
  totp_code?: string;
  recovery_code?: string;
}

/**
 * Checks the second factor of a sign-in whose password is right. The transaction of the sign-in uses the code up.
 * @returns the factor, `null` for a user without two-factor sign-in, or `wrong`
 * @throws AppError `service_unavailable` when the key of the user's secret is missing
 */
export async function checkSecondFactor(
  ctx: Pick<SessionContext, 'db' | 'totpSecrets'>,
  { _id: userId, totp }: User,
  input: SecondFactorInput,
): Promise<SecondFactor | null | 'wrong'> {
  if (!totp) return null;
  if (input.totp_code === undefined) return checkRecoveryCode(totp, input.recovery_code ?? '');
  const step = findStep(ctx, input.totp_code, { userId, totp, now: await ctx.db.now() });
  return step !== null && step > totp.lastStep ? { step } : 'wrong';
}

/** Whether the user has to send a second factor, and has sent none. */
export const lacksSecondFactor = ({ totp }: User, { totp_code: code, recovery_code: recovery }: SecondFactorInput) =>
  totp !== undefined && code === undefined && recovery === undefined;

/** The answer to the right password without a second factor: only who knows the password gets it. */
export const secondFactorRequired = (message: string): AppError =>
  new AppError('unauthenticated', message, { details: { totp_required: true } });

function findStep(
  { totpSecrets }: Pick<SessionContext, 'totpSecrets'>,
  code: string,
  { userId, totp, now }: { userId: string; totp: Totp; now: Date },
): number | null {
  try {
    if (!totpSecrets) throw new Error('TOTP_SECRET_KEY is not set, and users have two-factor sign-in');
    return totpSecrets.findStep(code, totp.secret, { userId, now });
  } catch (error) {
    throw unavailable(error);
  }
}

function checkRecoveryCode({ recoveryCodes }: Totp, code: string): SecondFactor | 'wrong' {
  const hash = hashRecoveryCode(code);
  return recoveryCodes.includes(hash) ? { recoveryCode: hash } : 'wrong';
}
