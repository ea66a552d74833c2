import type { ClientSession } from 'mongoose';
import type { EventContext } from '@waymark/contract/event';
import { webhookDeliveryRetried } from '@waymark/contract/events';
import { AppError, notFound } from '@waymark/kernel/errors';
import type { WebhookContext } from '../context.js';
import { endpointDisabled } from '../endpoints/endpoint.js';
import { askedNow, attemptAfter, ATTEMPTS_MAX, type Attempt } from './attempt.js';
import { deliveryEvent } from './delivery-event.js';

/**
 * Retries a delivery at once: brings its scheduled attempt forward, or adds one if none is scheduled.
 * @param deliveryId the id of the delivery, or of one of its attempts
 */
export async function retryDelivery(
  ctx: WebhookContext,
  context: EventContext,
  workspace: string,
  id: string,
  deliveryId: string,
): Promise<Attempt> {
  const asked = await ctx.db.transaction(async (tx) => {
    const { session } = tx;
    const endpoint = await ctx.endpoints.byId(workspace, id, session);
    const latest = endpoint && (await latestOf(ctx, id, deliveryId, session));
    if (!latest) throw notFound();
    if (!endpoint.enabled) throw endpointDisabled();
    const next = await askFor(ctx, latest, session);
    await ctx.leases.wake(new Map([[id, 1]]), next.dueAt, session);
    tx.emit(deliveryEvent(webhookDeliveryRetried, context, endpoint, next));
    return next;
  });
  ctx.engine.wake([id]);
  return asked;
}

async function latestOf({ attempts }: WebhookContext, endpointId: string, id: string, session: ClientSession) {
  return attempts.latestOf(endpointId, await attempts.deliveryIdOf(endpointId, id, session), session);
}

/** Changes the latest attempt in both cases, so that one of two concurrent retries or outcomes restarts. */
async function askFor(ctx: WebhookContext, latest: Attempt, session: ClientSession): Promise<Attempt> {
  if (latest.status === 'pending') return ctx.attempts.hasten(latest, session);
  if (latest.number >= ATTEMPTS_MAX) throw triedTooOften();
  const next = { ...attemptAfter(latest, new Date()), ...askedNow() };
  await ctx.attempts.insertAfter([latest], [next], session);
  return next;
}

const triedTooOften = () => new AppError('conflict', `The delivery was tried ${ATTEMPTS_MAX} times already.`);
