import type { z } from 'zod';
import { firstMomentOf, lastMomentOf } from '@waymark/contract/date-or-time';
import type { EventContext } from '@waymark/contract/event';
import { webhookReplayed } from '@waymark/contract/events';
import { REPLAY_MAX, type replay as replayBody, type ReplayDeliveriesBody } from '@waymark/contract/webhooks';
import { AppError, invalid, isDuplicateKey, notFound } from '@waymark/kernel/errors';
import type { WebhookContext } from '../context.js';
import { endpointDisabled, eventPartsOf, type Endpoint } from '../endpoints/endpoint.js';
import type { Replay } from './replay-store.js';

/** Orders a replay of the deliveries of a period; the replayer schedules them. */
export async function startReplay(
  ctx: WebhookContext,
  context: EventContext,
  workspace: string,
  id: string,
  input: ReplayDeliveriesBody,
): Promise<z.output<typeof replayBody>> {
  const endpoint = await ctx.endpoints.byId(workspace, id);
  if (!endpoint) throw notFound();
  if (!endpoint.enabled) throw endpointDisabled();
  const replay = await newReplay(ctx, endpoint, input);
  const deliveries = await ctx.replays.count(replay, REPLAY_MAX + 1);
  if (deliveries > REPLAY_MAX) throw tooMany();
  if (deliveries > 0) await insert(ctx, context, endpoint, replay, deliveries);
  ctx.replayer.wake();
  const { from, to, eventTypes } = replay;
  return { deliveries, from: from.toISOString(), to: to.toISOString(), event_types: eventTypes };
}

/** Ends the period now at the latest: later events are sent anyway. */
async function newReplay(ctx: WebhookContext, endpoint: Endpoint, input: ReplayDeliveriesBody): Promise<Replay> {
  const now = await ctx.db.now();
  const to = lastMomentOf(input.to);
  return {
    _id: endpoint._id,
    workspace: endpoint.workspace,
    from: firstMomentOf(input.from),
    to: to < now ? to : now,
    eventTypes: input.event_types ? [...new Set(input.event_types)] : null,
    after: null,
  };
}

async function insert(
  ctx: WebhookContext,
  context: EventContext,
  endpoint: Endpoint,
  replay: Replay,
  deliveries: number,
): Promise<void> {
  const { data, target } = eventPartsOf(endpoint);
  const { from, to, eventTypes } = replay;
  const ordered = { from: from.toISOString(), to: to.toISOString(), event_types: eventTypes, deliveries };
  const changes = { replay: { from: null, to: ordered } };
  try {
    await ctx.db.transaction(async (tx) => {
      await ctx.replays.insert(replay, tx.session);
      tx.emit(webhookReplayed.create(context, { ...data, deliveries }, { target, changes }));
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw stillRunning();
    throw error;
  }
}

const tooMany = () =>
  invalid({
    from: [
      `More than ${REPLAY_MAX} deliveries match. Replay a shorter time, or fewer event_types, one after the other.`,
    ],
  });
const stillRunning = () =>
  new AppError('conflict', 'Another replay of this webhook is still being scheduled. Try again later.', {
    headers: { 'Retry-After': '10' },
  });
