import type { ClientSession } from 'mongoose';
import type { Signal } from '@waymark/kernel/async/signal';
import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Endpoint } from '../endpoints/endpoint.js';
import type { EndpointStore } from '../endpoints/endpoint-store.js';
import type { WorkerNotifier } from '../endpoints/ports.js';
import { nextAttempt, ATTEMPTS_MAX, type Attempt } from './attempt.js';
import type { AttemptStore } from './attempt-store.js';
import type { Replay, ReplayStore } from './replay-store.js';

const INTERVAL_MS = 2000;
const LEASE_MS = 15_000;
const REPLAYS_AT_ONCE = 100;
/** The deliveries that one transaction schedules. */
const DELIVERIES_AT_ONCE = 50;
/** The replay of an endpoint with this many pending attempts pauses. */
const PENDING_MAX = 500;

interface ReplayContext {
  db: Database;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  replays: ReplayStore;
  dispatcher: WorkerNotifier;
}

/**
 * Schedules the deliveries of replays: a few of each in turn, and no more than an endpoint sends, so that a large
 * replay delays neither other replays nor new events by more than one batch. If the process dies, the next one resumes.
 */
export class Replayer {
  private readonly lease: Lease;
  private wakeSignal?: Signal;
  /** This round has processed the replays up to this one. */
  private afterId = '';

  constructor(private readonly ctx: ReplayContext) {
    this.lease = new Lease(ctx.db, 'replay');
  }

  start(runtime: WorkerContext): void {
    // Must stop after the worker; the worker registered last stops first.
    runtime.lifecycle.onStop('lease of the webhook replayer', async () => {
      if (this.ctx.db.isReady) await this.lease.release();
    });
    this.wakeSignal = runPeriodically(runtime, {
      name: 'webhook replayer',
      intervalMs: INTERVAL_MS,
      runOnce: (skipItem) => this.runOnce(skipItem),
    });
  }

  /** Notifies the replayer of a new replay. */
  notify(): void {
    this.wakeSignal?.notify();
  }

  /** @returns true if there is more to schedule now. */
  private async runOnce(skipItem: SkipItem): Promise<boolean> {
    if (!this.ctx.db.isReady) return false;
    const replays = await this.ctx.replays.findReplays(this.afterId, REPLAYS_AT_ONCE);
    const hasMoreReplays = replays.length === REPLAYS_AT_ONCE;
    let hasScheduled = false;
    for (const replay of replays) {
      if (!(await this.lease.acquire(LEASE_MS))) return false;
      // An outage ends the round: the next one continues behind this replay, in case only this one runs into it.
      this.afterId = replay._id;
      if (await this.tryReplay(replay, skipItem)) hasScheduled = true;
    }
    this.afterId = hasMoreReplays ? replays.at(-1)!._id : '';
    return hasScheduled || hasMoreReplays;
  }

  /** An error in one replay does not stop the others: a later round tries it again. */
  private async tryReplay(replay: Replay, skipItem: SkipItem): Promise<boolean> {
    try {
      return await this.scheduleReplay(replay);
    } catch (error) {
      skipItem(error, { endpoint_id: replay._id }, 'deliveries of a replay not scheduled');
      return false;
    }
  }

  /** @returns whether it has scheduled any. */
  private async scheduleReplay(replay: Replay): Promise<boolean> {
    const { db, endpoints, attempts, replays, dispatcher } = this.ctx;
    const endpoint = await endpoints.findEndpoint(replay.workspace, replay._id);
    if (!endpoint || hasEnded(replay, endpoint)) {
      await replays.deleteReplay(replay);
      return false;
    }
    if ((await attempts.countPending(replay._id, PENDING_MAX)) >= PENDING_MAX) return false;
    const count = await db.transaction(({ session }) => this.scheduleBatch(replay, session));
    if (count === 0) await replays.deleteReplay(replay);
    else dispatcher.notifyWorkers([replay._id]);
    return count > 0;
  }

  /** @returns the number of deliveries that it processed. */
  private async scheduleBatch(replay: Replay, session: ClientSession): Promise<number> {
    const firsts = await this.ctx.replays.findFirstAttempts(replay, DELIVERIES_AT_ONCE, session);
    const last = firsts.at(-1);
    if (!last || !(await this.ctx.replays.advanceReplay(replay, last, session))) return firsts.length;
    const deliveryIds = firsts.map(({ deliveryId }) => deliveryId);
    const latest = await this.ctx.attempts.findLatestOfEach(replay._id, deliveryIds, session);
    const added = await this.rescheduleDeliveries(latest, session);
    await this.ctx.endpoints.scheduleWork(new Map([[replay._id, added]]), new Date(), session);
    return firsts.length;
  }

  /** @returns the number of added attempts: a delivery that is still pending needs none. */
  private async rescheduleDeliveries(latest: Attempt[], session: ClientSession): Promise<number> {
    const { attempts } = this.ctx;
    const ended = latest.filter(({ status, number }) => status !== 'pending' && number < ATTEMPTS_MAX);
    const now = new Date();
    await attempts.makeDueNow(
      latest.filter(({ status }) => status === 'pending'),
      session,
    );
    await attempts.insertNextAttempts(
      ended,
      ended.map((attempt) => ({ ...nextAttempt(attempt, now), isRequested: true })),
      session,
    );
    return ended.length;
  }
}

/** Disabling an endpoint ends its replay; one that was ordered later is made all the same. */
const hasEnded = ({ orderedAt }: Replay, { enabled, disabledAt }: Endpoint): boolean =>
  !enabled && (!orderedAt || (disabledAt !== undefined && orderedAt <= disabledAt));
