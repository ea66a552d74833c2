import { Signal } from '@waymark/kernel/async/signal';
import type { Database } from '@waymark/kernel/mongo/database';
import { isOutage } from '@waymark/kernel/errors';
import type { Log } from '@waymark/kernel/process/log';
import type { WebhookConfig } from '../config.js';
import { isReadable, type Attempt } from '../deliveries/attempt.js';
import type { AttemptStore, Success } from '../deliveries/attempt-store.js';
import { takesScheduledAt, type Endpoint } from '../endpoints/endpoint.js';
import type { SecretBox } from '../endpoints/secret-box.js';
import type { Message, Outcome } from '../outbound/post.js';
import type { Batcher } from './batcher.js';
import type { EndpointLeases } from './endpoint-leases.js';
import type { ConcurrencyPools } from './concurrency-pools.js';
import type { SendingMetrics } from './metrics.js';
import type { ReadAhead } from './read-ahead.js';
import { Recorder } from './recorder.js';
import { Sender } from './sender.js';
import { Tenure } from './tenure.js';

const CANCELLED_AT_ONCE = 500;
/** If there are more dead endpoints than a process holds, each waits this long between two probes. */
const DEAD_PAUSE_MS = 30_000;
/** Counting pending attempts takes at most this share of the time. */
const COUNTING_SHARE = 1 / 20;

export interface SendingContext {
  config: WebhookConfig;
  log: Log;
  db: Database;
  /** True if this process can send: database, keys and clock are in order. */
  mayStart: () => boolean;
  attempts: AttemptStore;
  leases: EndpointLeases;
  secrets: SecretBox;
  pools: ConcurrencyPools;
  readAhead: ReadAhead;
  successes: Batcher<Success, void>;
  metrics: SendingMetrics;
  post: (message: Message) => Promise<Outcome>;
}

/**
 * The worker of one endpoint, for as long as it holds the lease and there are attempts to send. Attempts without an
 * outcome stay pending in the store for the next holder.
 */
export class Courier {
  private readonly tenure: Tenure;
  private readonly sender: Sender;
  private readonly wakeSignal = new Signal();
  /** When the oldest attempt that was due at the last look was due. */
  waitingSince?: Date;
  private countAgainAt = 0;
  private isLeaving = false;
  private isStopping = false;
  private isBroken = false;

  constructor(
    private readonly ctx: SendingContext,
    endpoint: Endpoint,
    /** Called between the probes of a dead endpoint. */
    private readonly mustLeave: () => boolean = () => false,
  ) {
    this.tenure = new Tenure(ctx.leases, ctx.config.WEBHOOK_LEASE_MS, endpoint);
    this.sender = new Sender(ctx, {
      tenure: this.tenure,
      recorder: new Recorder(ctx, this.tenure.lease, () => this.isStopping),
      mayStart: () => this.mayStart,
      onEnded: () => this.wakeSignal.notify(),
      onError: (error) => this.breakOff(error),
    });
  }

  get workspace(): string {
    return this.tenure.endpoint.workspace;
  }

  get isPrompt(): boolean {
    return this.sender.pace === 'prompt';
  }

  get isDead(): boolean {
    return this.sender.pace === 'dead';
  }

  get isWell(): boolean {
    return this.isPrompt && this.tenure.endpoint.consecutiveFailures === 0;
  }

  /** False once another process may hold the lease. */
  get holdsLease(): boolean {
    return this.tenure.isValid && !this.isLeaving;
  }

  /** Notifies the worker that there may be new work. */
  nudge(): void {
    this.wakeSignal.notify();
  }

  /** Starts no more attempts; those in flight finish and are recorded. */
  stop(): void {
    this.isStopping = true;
    this.wakeSignal.notify();
  }

  /** Ends when there is nothing left to send, the lease is lost, or the worker was stopped. */
  async run(): Promise<void> {
    this.tenure.keepUp();
    try {
      while (this.mayStart && (await this.turn())) await this.pause();
    } catch (error) {
      this.breakOff(error);
    }
    while (!this.sender.isIdle) await this.pause();
    this.sender.putBack();
    this.tenure.stopKeepingUp();
    if (this.isStopping && !this.isBroken) await this.handOver();
  }

  private get mayStart(): boolean {
    return !this.isStopping && !this.isBroken && this.tenure.isValid;
  }

  private pause(): Promise<void> {
    return this.wakeSignal.wait(this.ctx.config.WEBHOOK_POLL_MS);
  }

  /** @returns false if there is nothing left to do here. */
  private async turn(): Promise<boolean> {
    const mustLeave = this.isDead && this.sender.isIdle && this.sender.hasProbed && this.mustLeave();
    const { room } = this.sender;
    if (room === 0 && !mustLeave) return true;
    // Read before the query: an attempt that ends meanwhile may schedule a retry that the query missed.
    const except = new Set(this.sender.attemptIds);
    const endpoint = await this.tenure.look();
    if (!endpoint) return false;
    if (mustLeave) return !(await this.release(endpoint, new Date(Date.now() + DEAD_PAUSE_MS)));
    if (this.mustCount(endpoint)) void this.countPending(endpoint);
    const limit = endpoint.enabled ? room : CANCELLED_AT_ONCE;
    const pending = await this.ctx.attempts.pending(endpoint._id, { except, limit });
    const unreadable = pending.filter((attempt) => !isReadable(attempt));
    if (unreadable.length > 0) return this.setAside(unreadable);
    const dropped = pending.filter(({ createdAt }) => !takesScheduledAt(endpoint, createdAt));
    const now = new Date();
    const due = pending.filter((attempt) => attempt.dueAt <= now && !dropped.includes(attempt));
    this.waitingSince = due[0]?.dueAt;
    if (dropped.length > 0) await this.cancel(dropped);
    else if (due.length > 0) this.sender.take(due);
    else return except.size > 0 || !(await this.release(endpoint, pending[0]?.dueAt ?? null));
    return true;
  }

  /** `pendingCount` only grows while there is work: near the limit it must be corrected. */
  private mustCount({ pendingCount = 0 }: Endpoint): boolean {
    return pendingCount >= this.ctx.config.WEBHOOK_PENDING_MAX / 2 && performance.now() >= this.countAgainAt;
  }

  /** Runs concurrently with the sending, which its failure does not affect. */
  private async countPending(endpoint: Endpoint): Promise<void> {
    const pendingMax = this.ctx.config.WEBHOOK_PENDING_MAX;
    const startedAt = performance.now();
    let count = pendingMax;
    this.countAgainAt = Infinity;
    try {
      count = await this.ctx.attempts.countPending(endpoint._id, pendingMax);
      await this.ctx.leases.correctPendingCount(this.tenure.lease, endpoint, count);
    } catch (error) {
      const level = isOutage(error) ? 'debug' : 'error';
      this.ctx.log[level]({ err: error, endpoint_id: endpoint._id }, 'pending attempts not counted');
    }
    const endedAt = performance.now();
    // An endpoint that keeps up is counted again only after half of the limit was added, which is rare enough.
    this.countAgainAt = count < pendingMax / 2 ? endedAt : endedAt + (endedAt - startedAt) / COUNTING_SHARE;
  }

  private async setAside(attempts: Attempt[]): Promise<true> {
    const attempt_ids = attempts.map(({ _id }) => _id);
    this.ctx.log.error({ endpoint_id: this.tenure.lease.endpointId, attempt_ids }, 'attempts could not be read');
    await this.ctx.attempts.setAside(attempts, { type: 'blocked', message: 'The stored delivery could not be read.' });
    this.wakeSignal.notify();
    return true;
  }

  private async cancel(attempts: Attempt[]): Promise<void> {
    await this.ctx.attempts.cancel(attempts, { type: 'blocked', message: 'The endpoint was disabled.' });
    this.wakeSignal.notify();
  }

  /** Releases the endpoint until `dueAt`. @returns false if work arrived meanwhile. */
  private async release(endpoint: Endpoint, dueAt: Date | null): Promise<boolean> {
    this.isLeaving = true;
    this.isLeaving = await this.ctx.leases.release(this.tenure.lease, endpoint.wakeNo, dueAt);
    if (!this.isLeaving) this.wakeSignal.notify();
    return this.isLeaving;
  }

  private breakOff(error: unknown): void {
    this.isBroken = true;
    this.tenure.letExpire();
    const level = isOutage(error) ? 'debug' : 'error';
    this.ctx.log[level]({ err: error, endpoint_id: this.tenure.lease.endpointId }, 'courier broke off');
  }

  private async handOver(): Promise<void> {
    try {
      await this.ctx.leases.abandon(this.tenure.lease);
    } catch (error) {
      this.breakOff(error);
    }
  }
}
