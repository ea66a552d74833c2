import type { ClientSession } from 'mongoose';
import { AppError, notFound } from '@waymark/shared/kernel/errors';
import type { WebhookContext } from '../context.js';
import { endpointDisabled } from '../endpoints/endpoint.js';
import { askedNow, attemptAfter, type Attempt } from './attempt.js';

/** The attempts of a delivery are looked up one after the other. */
const ATTEMPTS_MAX = 200;

/** Tries a delivery again at once: brings its scheduled attempt forward, or adds one where none is scheduled. */
export async function retryDelivery(
  ctx: WebhookContext,
  workspace: string,
  id: string,
  deliveryId: string,
): Promise<Attempt> {
  const asked = await ctx.db.transaction(async ({ session }) => {
    const endpoint = await ctx.endpoints.byId(workspace, id, session);
    const latest = endpoint && (await ctx.attempts.latestOf(id, deliveryId, session));
    if (!latest) throw notFound();
    if (!endpoint.enabled) throw endpointDisabled();
    const next = await askFor(ctx, latest, session);
    await ctx.leases.wake(new Map([[id, 1]]), next.dueAt, session);
    return next;
  });
  ctx.engine.wake([id]);
  return asked;
}

/** Changes the latest attempt in either case: who asks at the same time, or ends it, makes the other start again. */
async function askFor(ctx: WebhookContext, latest: Attempt, session: ClientSession): Promise<Attempt> {
  if (latest.status === 'pending') return ctx.attempts.hasten(latest, session);
  if (latest.number >= ATTEMPTS_MAX) throw triedTooOften();
  const next = { ...attemptAfter(latest, new Date()), ...askedNow() };
  await ctx.attempts.insertAfter(latest, next, session);
  return next;
}

const triedTooOften = () => new AppError('conflict', `The delivery was tried ${ATTEMPTS_MAX} times already.`);
