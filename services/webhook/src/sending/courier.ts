import type { Database } from '@waymark/shared/kernel/database';
import { isOutage } from '@waymark/shared/kernel/errors';
import type { Log } from '@waymark/shared/kernel/log';
import type { WebhookConfig } from '../config.js';
import type { Attempt } from '../deliveries/attempt.js';
import type { DeliveryStore, Success } from '../deliveries/delivery-store.js';
import { takesScheduledAt, type Endpoint } from '../endpoints/endpoint.js';
import type { SecretBox } from '../endpoints/secret-box.js';
import type { Message, Outcome } from '../outbound/post.js';
import type { Batcher } from './batcher.js';
import { Bell } from './bell.js';
import type { EndpointLeases, Lease } from './endpoint-leases.js';
import type { Lanes } from './lane.js';
import type { SendingMetrics } from './metrics.js';
import { Recorder } from './recorder.js';

/** An endpoint that failed this often in a row is tried with one delivery at a time until one succeeds. */
const PROBE_AFTER_FAILURES = 10;
const FETCHED_PER_PLACE = 4;
const CANCELLED_AT_ONCE = 500;

const DISABLED = { type: 'blocked', message: 'The endpoint was disabled.' } as const;
const DELETED = { type: 'blocked', message: 'The delivery was deleted.' } as const;

export interface SendingContext {
  config: WebhookConfig;
  log: Log;
  db: Database;
  /** Whether this process has what it needs for sending. */
  mayStart: () => boolean;
  deliveries: DeliveryStore;
  leases: EndpointLeases;
  secrets: SecretBox;
  lanes: Lanes;
  successes: Batcher<Success, void>;
  metrics: SendingMetrics;
  post: (message: Message) => Promise<Outcome>;
}

/**
 * Sends what is due to one endpoint, for as long as it holds the endpoint's lease and there is something to send.
 * What it has not ended stays pending in the store, for the next holder.
 */
export class Courier {
  private readonly lease: Lease;
  private readonly recorder: Recorder;
  private readonly bell = new Bell();
  private readonly inFlight = new Set<string>();
  private queue: { attempt: Attempt; body: string }[] = [];
  private leaseUntil: number;
  private isStopping = false;
  private isBroken = false;

  constructor(
    private readonly ctx: SendingContext,
    private endpoint: Endpoint,
  ) {
    this.lease = { endpointId: endpoint._id, no: endpoint.leaseNo };
    this.leaseUntil = performance.now() + ctx.config.WEBHOOK_LEASE_MS;
    this.recorder = new Recorder(ctx, this.lease, () => this.isStopping);
  }

  /** There may be new work. */
  nudge(): void {
    this.bell.ring();
  }

  /** Starts nothing more; what is in flight is finished and recorded. */
  stop(): void {
    this.isStopping = true;
    this.bell.ring();
  }

  /** Ends when there is nothing left to send, the lease is lost, or the courier was stopped. */
  async run(): Promise<void> {
    const renewing = setInterval(() => void this.renew(), this.ctx.config.WEBHOOK_LEASE_MS / 3);
    try {
      while (this.maySend && (await this.turn())) await this.pause();
    } catch (error) {
      this.breakOff(error);
    }
    while (this.inFlight.size > 0) await this.pause();
    clearInterval(renewing);
    if (this.isStopping && !this.isBroken) await this.handOver();
  }

  private get maySend(): boolean {
    return !this.isStopping && !this.isBroken && performance.now() < this.leaseUntil;
  }

  private get isDead(): boolean {
    return this.endpoint.consecutiveFailures >= PROBE_AFTER_FAILURES;
  }

  private get placesFree(): number {
    return (this.isDead ? 1 : this.ctx.config.WEBHOOK_ENDPOINT_CONCURRENCY) - this.inFlight.size;
  }

  private get fetchedAtOnce(): number {
    if (!this.endpoint.enabled) return CANCELLED_AT_ONCE;
    return this.isDead ? 1 : this.ctx.config.WEBHOOK_ENDPOINT_CONCURRENCY * FETCHED_PER_PLACE;
  }

  private pause(): Promise<void> {
    return this.bell.wait(this.ctx.config.WEBHOOK_POLL_MS);
  }

  /** @returns false when there is nothing left to do here. */
  private async turn(): Promise<boolean> {
    if (this.queue.length > 0 || this.placesFree <= 0) return true;
    // To be known before the reading: what ends meanwhile may leave a retry that the reading has missed.
    const isIdle = this.inFlight.size === 0;
    const endpoint = await this.refresh();
    if (!endpoint) return false;

    const options = { except: [...this.inFlight], limit: this.fetchedAtOnce };
    const pending = await this.ctx.deliveries.pending(endpoint._id, options);
    const dropped = pending.filter(({ createdAt }) => !takesScheduledAt(endpoint, createdAt));
    const now = new Date();
    const due = pending.filter((attempt) => attempt.dueAt <= now && !dropped.includes(attempt));
    if (dropped.length > 0) await this.cancel(dropped, DISABLED);
    else if (due.length > 0) await this.enqueue(due);
    else return !(isIdle && (await this.release(endpoint.wakeNo, pending[0]?.dueAt ?? null)));
    return true;
  }

  private async enqueue(due: Attempt[]): Promise<void> {
    const bodies = await this.ctx.deliveries.bodies(due.map(({ deliveryId }) => deliveryId));
    const bodiless = due.filter(({ deliveryId }) => !bodies.has(deliveryId));
    if (bodiless.length > 0) await this.cancel(bodiless, DELETED);
    for (const attempt of due) {
      const body = bodies.get(attempt.deliveryId);
      if (body !== undefined) this.queue.push({ attempt, body });
    }
    this.sendQueued();
  }

  private async cancel(attempts: Attempt[], reason: Attempt['error']): Promise<void> {
    const ids = attempts.map(({ _id }) => _id);
    await this.ctx.deliveries.cancel(ids, reason);
    this.bell.ring();
  }

  private sendQueued(): void {
    while (this.maySend && this.placesFree > 0 && this.queue.length > 0) {
      const { attempt, body } = this.queue.shift()!;
      this.inFlight.add(attempt._id);
      void this.deliver(attempt, body).finally(() => {
        this.inFlight.delete(attempt._id);
        this.sendQueued();
        this.bell.ring();
      });
    }
  }

  private async deliver(attempt: Attempt, body: string): Promise<void> {
    try {
      const outcome = await this.send(attempt, body);
      if (!outcome) return;
      const consecutiveFailures = await this.recorder.record(this.endpoint, attempt, outcome);
      if (consecutiveFailures === null) this.leaseUntil = 0;
      else this.endpoint = { ...this.endpoint, consecutiveFailures };
      // What waits for a dead endpoint waits in the store, where somebody may ask for something else first.
      if (this.isDead) this.queue = [];
    } catch (error) {
      this.breakOff(error);
    }
  }

  /** @returns null when it was not sent: since it got its place, time was over or the endpoint has changed. */
  private async send(attempt: Attempt, body: string): Promise<Outcome | null> {
    const { lanes, secrets, metrics } = this.ctx;
    const lane = lanes.of(this.endpoint);
    await lane.enter();
    try {
      const endpoint = this.maySend ? await this.refresh() : null;
      if (!endpoint || !takesScheduledAt(endpoint, attempt.createdAt)) return null;
      if (attempt.number === 1) metrics.startDelay.observe((Date.now() - attempt.createdAt.getTime()) / 1000);
      const valid = secrets.openValid(endpoint.secrets, endpoint, new Date());
      return await this.ctx.post({ url: endpoint.url, secrets: valid, id: attempt.eventId, body });
    } finally {
      lane.leave();
    }
  }

  /** Every attempt goes to the endpoint as it is now: its url, its secrets, and whether it is still there. */
  private async refresh(): Promise<Endpoint | null> {
    const endpoint = await this.ctx.leases.read(this.lease);
    if (endpoint) this.endpoint = endpoint;
    else this.leaseUntil = 0;
    return endpoint;
  }

  /** Gives the endpoint back until `dueAt`. @returns false when it is not over: work came in meanwhile. */
  private async release(wakeNo: number, dueAt: Date | null): Promise<boolean> {
    const released = await this.ctx.leases.release(this.lease, wakeNo, dueAt);
    if (!released) this.bell.ring();
    return released;
  }

  /** The lease is left to run out: that is the pause before the next holder tries. */
  private breakOff(error: unknown): void {
    this.isBroken = true;
    const level = isOutage(error) ? 'debug' : 'error';
    this.ctx.log[level]({ err: error, endpoint_id: this.lease.endpointId }, 'courier broke off');
  }

  private async handOver(): Promise<void> {
    try {
      await this.ctx.leases.abandon(this.lease);
    } catch (error) {
      this.breakOff(error);
    }
  }

  private async renew(): Promise<void> {
    if (this.isBroken) return;
    const startedAt = performance.now();
    try {
      const isOurs = await this.ctx.leases.renew(this.lease);
      this.leaseUntil = isOurs ? startedAt + this.ctx.config.WEBHOOK_LEASE_MS : 0;
    } catch {
      // The lease runs out unless a later renewal succeeds.
    }
  }
}
