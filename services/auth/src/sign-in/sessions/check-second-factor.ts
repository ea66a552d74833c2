import { AppError, unavailable } from '@waymark/kernel/errors';
import { hashRecoveryCode } from '../../secrets/recovery-codes.js';
import type { SecondFactor, Totp } from '../../users/user-store.js';
import type { SessionContext } from './context.js';
import { WrongGuess } from './sign-in-limits.js';

export interface SecondFactorInput {
  totp_code?: string;
  recovery_code?: string;
}

/**
 * Checks the second factor of a sign-in whose password is right. The transaction of the sign-in uses the code up.
 * @throws WrongGuess; AppError `service_unavailable` when the key of the user's secret is missing
 */
export async function checkSecondFactor(
  ctx: Pick<SessionContext, 'db' | 'totpSecrets'>,
  input: SecondFactorInput,
  { userId, totp }: { userId: string; totp: Totp },
): Promise<SecondFactor> {
  if (input.totp_code === undefined) {
    const recoveryCode = hashRecoveryCode(input.recovery_code ?? '');
    if (!totp.recoveryCodes.includes(recoveryCode)) throw wrongSecondFactor();
    return { recoveryCode };
  }
  const step = findStep(ctx, input.totp_code, { userId, totp, now: await ctx.db.now() });
  if (step === null || step <= totp.lastStep) throw wrongSecondFactor();
  return { step };
}

export const lacksSecondFactor = ({ totp_code: code, recovery_code: recovery }: SecondFactorInput): boolean =>
  code === undefined && recovery === undefined;

const TOTP_REQUIRED = { details: { totp_required: true } };

/** The answer to the right password without a second factor: only who knows the password gets it. */
export const secondFactorRequired = (message: string): AppError =>
  new AppError('unauthenticated', message, TOTP_REQUIRED);

export const wrongSecondFactor = (): WrongGuess =>
  new WrongGuess('unauthenticated', 'The code is wrong or has been used before.', TOTP_REQUIRED);

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
