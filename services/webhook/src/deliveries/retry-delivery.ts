import type { ClientSession } from 'mongoose';
import { notFound } from '@waymark/shared/kernel/errors';
import type { WebhookContext } from '../context.js';
import { endpointDisabled } from '../endpoints/endpoint.js';
import { askedNow, attemptAfter, type Attempt } from './attempt.js';

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
  const next = { ...attemptAfter(latest, new Date()), ...askedNow() };
  await ctx.attempts.insertAfter(latest, next, session);
  return next;
}
