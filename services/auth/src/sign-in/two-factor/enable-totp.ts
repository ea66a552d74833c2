import type { EventContext } from '@waymark/contract/event';
import { userTotpEnabled } from '@waymark/contract/events';
import { incorrect } from '@waymark/contract/problems';
import { AppError, invalid } from '@waymark/kernel/errors';
import { createRecoveryCodes, hashRecoveryCode } from '../../secrets/recovery-codes.js';
import { otpauthUrl, type TotpSecrets } from '../../secrets/totp.js';
import { WrongGuess } from '../sessions/sign-in-limits.js';
import type { User } from '../../users/user-store.js';
import type { TwoFactorContext } from './context.js';

/** A secret that is not confirmed by then must be requested again. */
const SETUP_LIFETIME_MS = 3600_000;

const alreadyEnabled = () => new AppError('conflict', 'Two-factor sign-in is already enabled.');
const notStarted = () => new AppError('conflict', 'Two-factor sign-in is not being set up. Request a new secret.');

/**
 * Returns a new secret, which replaces one that was not confirmed.
 * @throws AppError `conflict` when two-factor sign-in is enabled; `not_found` when the installation has no key for it
 */
export async function startTotp(
  ctx: TwoFactorContext,
  event: EventContext,
): Promise<{ secret: string; otpauth_url: string }> {
  const totpSecrets = requireTotpSecrets(ctx);
  const user = await findCaller(ctx, event);
  const { base32, sealed } = totpSecrets.createSecret(user._id);
  const setup = { secret: sealed, createdAt: await ctx.db.now() };
  if (!(await ctx.users.setTotpSetup(user._id, setup))) throw alreadyEnabled();
  const issuer = `Waymark (${new URL(ctx.config.API_BASE_URL).hostname})`;
  return { secret: base32, otpauth_url: otpauthUrl(base32, { issuer, label: user.email }) };
}

/**
 * Enables two-factor sign-in with the first code of the new secret. That code does not work again for a sign-in.
 * @returns the recovery codes, which are not stored
 * @throws AppError `validation_failed` for a wrong code; `conflict` without a new secret; `rate_limit_exceeded` after too
 * many wrong codes: the code could be guessed, as in a sign-in
 */
export async function confirmTotp(ctx: TwoFactorContext, event: EventContext, code: string): Promise<string[]> {
  const totpSecrets = requireTotpSecrets(ctx);
  const user = await findCaller(ctx, event);
  if (user.totp) throw alreadyEnabled();
  const now = await ctx.db.now();
  const setup = user.totpSetup;
  if (!setup || setup.createdAt.getTime() + SETUP_LIFETIME_MS < now.getTime()) throw notStarted();
  const step = await ctx.signInLimits.limitCodeGuess(user, event.ipAddress ?? null, () => {
    const found = totpSecrets.findStep(code, setup.secret, { userId: user._id, now });
    if (found === null) throw WrongGuess.of(invalid({ code: [incorrect('code')] }));
    return found;
  });
  const codes = createRecoveryCodes();
  const recoveryCodes = codes.map(hashRecoveryCode);
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  await ctx.db.transaction(async (tx) => {
    const totp = { secret: setup.secret, enabledAt: now, lastStep: step, recoveryCodes };
    if (!(await ctx.users.enableTotp(user._id, totp, tx.session))) throw notStarted();
    const target = { type: 'user', id: user._id, label: user.email };
    const changes = { totp_enabled: { from: false, to: true } };
    tx.emit(userTotpEnabled.create(event, { user_id: user._id, email: user.email, workspaces }, { target, changes }));
  });
  return codes;
}

function requireTotpSecrets({ totpSecrets }: TwoFactorContext): TotpSecrets {
  if (!totpSecrets) throw new AppError('not_found', 'Two-factor sign-in is not set up in this installation.');
  return totpSecrets;
}

async function findCaller({ users }: TwoFactorContext, { actor }: EventContext): Promise<User> {
  const user = await users.findUser(actor!.id!);
  if (!user) throw new AppError('unauthenticated', 'Unauthenticated.');
  return user;
}
