import type { z } from 'zod';
import { firstMomentOf, lastMomentOf } from '@waymark/contract/date-or-time';
import { webhookReplayed } from '@waymark/contract/events';
import { tooManyMatch, tooSlow } from '@waymark/contract/problems';
import { REPLAY_MAX, type replay as replayBody, type ReplayDeliveriesBody } from '@waymark/contract/webhooks';
import { AppError, invalid, isDuplicateKey, isTimeLimitExceeded, missing } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import { eventPartsOf, type Endpoint } from '../endpoints/endpoint.js';
import type { EndpointRequest } from '../endpoints/endpoint-request.js';
import type { EndpointStore } from '../endpoints/endpoint-store.js';
import type { Replay, ReplayStore } from './replay-store.js';

export interface StartReplayContext {
  db: Database;
  endpoints: EndpointStore;
  replays: ReplayStore;
  replayer: { notify(): void };
}

/** Orders a replay of the deliveries of a period; the replayer schedules them. */
export async function startReplay(
  ctx: StartReplayContext,
  request: EndpointRequest,
  input: ReplayDeliveriesBody,
): Promise<z.output<typeof replayBody>> {
  const endpoint = await ctx.endpoints.findEndpoint(request.workspace, request.id);
  if (!endpoint) throw missing('webhook', request.id);
  const replay = newReplay(endpoint, input, await ctx.db.now());
  const deliveries = await countDeliveries(ctx.replays, replay);
  if (deliveries > REPLAY_MAX) throw tooManyDeliveries();
  const { from, to, eventTypes } = replay;
  const ordered = { deliveries, from: from.toISOString(), to: to.toISOString(), event_types: eventTypes };
  if (deliveries > 0) await insertReplay(ctx, replay, replayedEvent(request, endpoint, ordered));
  ctx.replayer.notify();
  return ordered;
}

/** Ends the period now at the latest: later events are sent anyway. */
function newReplay(endpoint: Endpoint, input: ReplayDeliveriesBody, now: Date): Replay {
  const until = lastMomentOf(input.to);
  return {
    _id: endpoint._id,
    workspace: endpoint.workspace,
    from: firstMomentOf(input.from),
    to: until < now ? until : now,
    orderedAt: now,
    eventTypes: input.event_types ? [...new Set(input.event_types)] : null,
    after: null,
  };
}

async function countDeliveries(replays: ReplayStore, replay: Replay): Promise<number> {
  try {
    return await replays.countDeliveries(replay, REPLAY_MAX + 1);
  } catch (error) {
    if (isTimeLimitExceeded(error)) throw tooLongToCount();
    throw error;
  }
}

function replayedEvent({ event }: EndpointRequest, endpoint: Endpoint, ordered: z.output<typeof replayBody>) {
  const { data, target } = eventPartsOf(endpoint);
  const changes = { replay: { from: null, to: ordered } };
  return webhookReplayed.create(event, { ...data, deliveries: ordered.deliveries }, { target, changes });
}

async function insertReplay(
  { db, replays }: StartReplayContext,
  replay: Replay,
  replayed: ReturnType<typeof replayedEvent>,
): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await replays.insertReplay(replay, tx.session);
      tx.emit(replayed);
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw stillRunning();
    throw error;
  }
}

const SMALLER = 'Replay a shorter time, or fewer event_types, one after the other.';
const tooManyDeliveries = () => invalid({ from: [tooManyMatch('deliveries', REPLAY_MAX, SMALLER)] });
const tooLongToCount = () => invalid({ from: [tooSlow(`The deliveries take too long to count. ${SMALLER}`)] });
const stillRunning = () =>
  new AppError('conflict', 'Another replay of this webhook is still being scheduled. Try again later.', {
    headers: { 'Retry-After': '10' },
  });
