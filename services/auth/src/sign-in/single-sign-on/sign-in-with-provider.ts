import type { EventContext } from '@waymark/contract/event';
import { AppError, notFound } from '@waymark/kernel/errors';
import { recordFailure } from '../sessions/failed-sign-ins.js';
import { startSession, type SignedIn } from '../sessions/sign-in.js';
import { isDisabled } from '../../users/user-store.js';
import { createBinding, readBinding, type BrowserBinding } from './browser-binding.js';
import type { SingleSignOnContext } from './context.js';
import type { IdentityProvider } from './identity-provider.js';
import { matchUser, noAccount } from './match-user.js';

const failed = () => new AppError('unauthenticated', 'Single sign-on failed. Start again.');

/**
 * Begins a sign-in in this browser.
 * @returns the address of the provider, and the cookie that binds the sign-in to the browser
 * @throws AppError `not_found` without single sign-on; `service_unavailable` when the provider does not answer
 */
export async function beginSignIn(
  ctx: SingleSignOnContext,
  returnTo: string,
): Promise<{ location: string; cookie: string }> {
  const provider = requireProvider(ctx);
  const { cookie, binding } = createBinding(returnTo, await ctx.db.now());
  const url = await provider.signInUrl(binding);
  return { location: url.href, cookie };
}

/** The query of a callback, as the provider sent it, and the cookie of the browser. */
interface Callback {
  search: string;
  cookie: string;
}

/**
 * Uses up the callback of a sign-in that this browser has begun.
 * @throws AppError `unauthenticated` when the browser has begun no such sign-in, or has completed it; `rate_limit_exceeded`
 */
export async function useCallback(
  ctx: SingleSignOnContext,
  { ipAddress }: EventContext,
  { search, cookie }: Callback,
): Promise<BrowserBinding> {
  requireProvider(ctx);
  await ctx.signInLimits.countAddress(ipAddress ?? null);
  const state = new URLSearchParams(search).get('state') ?? '';
  const binding = readBinding(cookie, state, await ctx.db.now());
  if (!binding || !(await ctx.identities.useCallback(state))) throw failed();
  return binding;
}

interface UsedCallback {
  search: string;
  binding: BrowserBinding;
  userAgent: string | null;
}

/**
 * Completes a sign-in whose callback is used up. The provider's factors count: Waymark asks for no second one.
 * @throws AppError `unauthenticated` when the provider or the code does not fit; `forbidden` for a person without an
 * enabled account; `rate_limit_exceeded`; `service_unavailable` when the provider does not answer
 */
export async function completeSignIn(
  ctx: SingleSignOnContext,
  event: EventContext,
  { search, binding, userAgent }: UsedCallback,
): Promise<SignedIn> {
  const identity = await requireProvider(ctx).proveIdentity(search, binding, event.ipAddress ?? null);
  const user = await matchUser(ctx, event, identity);
  const proof = { by: 'provider' } as const;
  const signedIn = user && !isDisabled(user) && (await startSession(ctx, event, { user, proof, userAgent }));
  if (signedIn) return signedIn;
  await recordFailure(ctx, event, { user, email: identity.email ?? '' });
  throw noAccount();
}

function requireProvider({ identityProvider }: SingleSignOnContext): IdentityProvider {
  if (!identityProvider) throw notFound('This installation has no single sign-on.');
  return identityProvider;
}
