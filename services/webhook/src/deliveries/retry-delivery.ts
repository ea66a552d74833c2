import type { Transaction } from '@waymark/shared/kernel/database';
import { AppError, isDuplicateKey, notFound } from '@waymark/shared/kernel/errors';
import type { WebhookContext } from '../context.js';
import { endpointDisabled } from '../endpoints/endpoint.js';
import { askedNow, attemptAfter, type Attempt } from './attempt.js';

const ATTEMPTS_MAX = 5;

/** Tries a delivery again at once: brings its scheduled attempt forward, or adds one where none is scheduled. */
export async function retryDelivery(
  ctx: WebhookContext,
  workspace: string,
  id: string,
  deliveryId: string,
): Promise<Attempt> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const asked = await ctx.db.transaction((tx) => tryRetry(ctx, tx, workspace, id, deliveryId)).catch(takenOrThrow);
    if (asked === 'changed_meanwhile') continue;
    ctx.engine.wake([id]);
    return asked;
  }
  throw new AppError('conflict', 'The delivery is being tried again by others.');
}

async function tryRetry(
  ctx: WebhookContext,
  tx: Transaction,
  workspace: string,
  id: string,
  deliveryId: string,
): Promise<Attempt | 'changed_meanwhile'> {
  const endpoint = await ctx.endpoints.byId(workspace, id, tx.session);
  const latest = endpoint && (await ctx.attempts.latestOf(id, deliveryId, tx.session));
  if (!latest) throw notFound();
  if (!endpoint.enabled) throw endpointDisabled();
  const asked = await askFor(ctx, tx, latest);
  if (!asked) return 'changed_meanwhile';
  await ctx.leases.wake([id], asked.dueAt, tx.session);
  return asked;
}

async function askFor(ctx: WebhookContext, { session }: Transaction, latest: Attempt): Promise<Attempt | null> {
  if (latest.status === 'pending') return ctx.attempts.hasten(latest._id, session);
  const next = { ...attemptAfter(latest, new Date()), ...askedNow() };
  await ctx.attempts.insertAfter(latest, next, session);
  return next;
}

/** Two who ask at the same time both want the attempt with the next number. */
function takenOrThrow(error: unknown): 'changed_meanwhile' {
  if (isDuplicateKey(error)) return 'changed_meanwhile';
  throw error;
}
