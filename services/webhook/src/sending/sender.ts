import type { Attempt } from '../deliveries/attempt.js';
import { takesScheduledAt, type Endpoint } from '../endpoints/endpoint.js';
import type { Outcome } from '../outbound/post.js';
import type { SendingContext } from './courier.js';
import type { Pace, Route } from './concurrency-pools.js';
import type { Recorder } from './recorder.js';
import type { Tenure } from './tenure.js';

/**
 * After this many failures in a row the sender probes an endpoint with one delivery per second until one succeeds:
 * recording the failure of its whole backlog would cost the database time that other endpoints need.
 */
export const PROBE_AFTER_FAILURES = 10;
const PROBE_EVERY_MS = 1000;
/** Attempts per place that the sender takes at a time for a fast receiver, and those that may wait to be recorded. */
const TAKEN_PER_PLACE_MAX = 16;
const UNRECORDED_PER_PLACE = 8;
const FAST_MS = 1000;
/** With this many attempts per place still waiting, the worker reads the next ones while sending continues. */
const IN_HAND_PER_PLACE = 2;

interface Holder {
  tenure: Tenure;
  recorder: Recorder;
  /** False once no more attempts may start. */
  mayStart(): boolean;
  /** Called when there may be room for more attempts, or none is left. */
  onEnded(): void;
  onError(error: unknown): void;
}

/** Sends the attempts of one endpoint, bounded by its places, and has their outcomes recorded. */
export class Sender {
  private readonly waiting: Attempt[] = [];
  private taken = { atOnce: 0, at: -Infinity };
  /** Attempts sent or in flight, and not yet recorded. */
  private readonly open = new Set<string>();
  private hasAnswered = false;
  private hasJustFailed = false;
  private probedAt = -Infinity;
  private routed?: { url: string; route: Route };
  private opened?: { sealed: Endpoint['secrets']; texts: string[] };
  private inFlight = 0;
  private slow = 0;

  constructor(
    private readonly ctx: SendingContext,
    private readonly holder: Holder,
  ) {}

  get isIdle(): boolean {
    return this.open.size === 0;
  }

  get hasProbed(): boolean {
    return this.probedAt !== -Infinity;
  }

  /** The attempts that it has already taken. */
  get attemptIds(): string[] {
    return [...this.open, ...this.waiting.map(({ _id }) => _id)];
  }

  /** The pool in which its attempts are sent now. */
  get pace(): Pace {
    if (this.isProbing) return 'dead';
    return this.slow > 0 ? 'slow' : 'prompt';
  }

  /**
   * How many attempts it can take now: twice as many as before while the receiver is fast, and one per free place for a
   * slow one, so that a requested attempt comes next.
   */
  get room(): number {
    if (!this.wantsMore || this.isResting) return 0;
    if (this.ctx.readAhead.isFull) return this.attemptIds.length === 0 ? 1 : 0;
    if (this.slow > 0) return Math.max(0, this.places - this.inFlight);
    const isFast = performance.now() - this.taken.at < FAST_MS;
    return isFast ? Math.min(this.taken.atOnce * 2, this.placesMax * TAKEN_PER_PLACE_MAX) : this.placesMax;
  }

  take(attempts: Attempt[]): void {
    this.taken = { atOnce: Math.max(attempts.length, this.placesMax), at: performance.now() };
    this.waiting.push(...attempts);
    this.ctx.readAhead.add(attempts);
    this.sendWaiting();
  }

  /** Drops attempts that it has taken but not started; they are still in the store. */
  putBack(keptCount = 0): void {
    this.ctx.readAhead.remove(this.waiting.splice(keptCount));
  }

  private get isProbing(): boolean {
    return this.holder.tenure.endpoint.consecutiveFailures >= PROBE_AFTER_FAILURES;
  }

  private get isResting(): boolean {
    return this.isProbing && performance.now() - this.probedAt < PROBE_EVERY_MS;
  }

  private get isFailing(): boolean {
    return this.hasJustFailed || this.holder.tenure.endpoint.consecutiveFailures > 0;
  }

  /** Reads nothing ahead for a slow or failing endpoint: requested attempts go first, and the endpoint may change. */
  private get wantsMore(): boolean {
    const isSteady = this.slow === 0 && !this.isFailing;
    return this.waiting.length < (isSteady ? this.placesMax * IN_HAND_PER_PLACE : 1);
  }

  private get placesMax(): number {
    return this.isProbing ? 1 : this.ctx.config.WEBHOOK_ENDPOINT_CONCURRENCY;
  }

  /** One until the first answer, so an endpoint that never answers takes one place from others for a second. */
  private get places(): number {
    return this.hasAnswered ? this.placesMax : 1;
  }

  private get hasPlace(): boolean {
    // Failures are counted before more is sent: the number of places depends on them.
    const openMax = this.places * (this.isFailing ? 1 : UNRECORDED_PER_PLACE);
    return this.inFlight < this.places && this.open.size < openMax;
  }

  private sendWaiting(): void {
    if (this.isProbing) this.putBack(1);
    while (this.holder.mayStart() && this.hasPlace && this.waiting.length > 0) {
      const attempt = this.waiting.shift()!;
      if (this.isProbing) this.probedAt = performance.now();
      this.open.add(attempt._id);
      void this.deliver(attempt).finally(() => {
        this.open.delete(attempt._id);
        this.ctx.readAhead.remove([attempt]);
        this.sendWaiting();
        if (this.wantsMore || this.isIdle) this.holder.onEnded();
      });
    }
  }

  private get route(): Route {
    const { url, workspace } = this.holder.tenure.endpoint;
    if (this.routed?.url !== url) this.routed = { url, route: { workspace, host: hostOf(url) } };
    return this.routed.route;
  }

  private async deliver(attempt: Attempt): Promise<void> {
    try {
      const outcome = await this.inPlace(() => this.send(attempt));
      if (outcome) await this.record(attempt, outcome);
    } catch (error) {
      this.holder.onError(error);
    }
  }

  private async inPlace<T>(work: () => Promise<T>): Promise<T> {
    let isSlow = false;
    const onSlow = () => {
      isSlow = true;
      this.slow += 1;
      // A user may request another attempt first.
      this.putBack();
    };
    this.inFlight += 1;
    try {
      return await this.ctx.pools.run(this.pace, this.route, work, onSlow);
    } finally {
      this.inFlight -= 1;
      if (isSlow) this.slow -= 1;
      this.sendWaiting();
    }
  }

  /** @returns null if it was not sent, since the worker must stop or the endpoint has changed. */
  private async send(attempt: Attempt): Promise<Outcome | null> {
    const { metrics, post } = this.ctx;
    const { tenure } = this.holder;
    const endpoint = this.holder.mayStart() ? (tenure.seen ?? (await tenure.look())) : null;
    if (!endpoint || !takesScheduledAt(endpoint, attempt.createdAt)) return null;
    if (attempt.number === 1) metrics.startDelay.observe((Date.now() - attempt.happenedAt.getTime()) / 1000);
    const secrets = this.signingSecretsOf(endpoint);
    const message = { url: endpoint.url, secrets, id: attempt.eventId, body: attempt.body! };
    const outcome = secrets.length > 0 ? await post(message) : unsigned();
    this.hasJustFailed = outcome.failure !== null;
    if (outcome.statusCode !== null) this.hasAnswered = true;
    return outcome;
  }

  /** Opens the secrets once per read of the endpoint: for each attempt it would cost as much as the signature. */
  private signingSecretsOf(endpoint: Endpoint): string[] {
    if (this.opened?.sealed !== endpoint.secrets) {
      const texts = this.ctx.secrets.openValid(endpoint.secrets, endpoint, new Date());
      this.opened = { sealed: endpoint.secrets, texts };
    }
    return this.opened.texts;
  }

  private async record(attempt: Attempt, outcome: Outcome): Promise<void> {
    const { tenure, recorder } = this.holder;
    const consecutiveFailures = await recorder.record(tenure.endpoint, attempt, outcome);
    if (consecutiveFailures === null) tenure.letExpire();
    else if (consecutiveFailures !== tenure.endpoint.consecutiveFailures) {
      tenure.endpoint = { ...tenure.endpoint, consecutiveFailures };
    }
  }
}

/** Omits the port: all ports of a host share its limit. */
const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/\.$/, '') ?? '';

/** A failed attempt like any other: it is retried, and the owner of the endpoint sees why. */
const unsigned = (): Outcome => ({
  ...{ startedAt: new Date(), durationMs: 0, statusCode: null, response: null, retryAfterMs: null },
  failure: {
    type: 'blocked',
    message: 'The signing secret could not be read. Rotate it: PATCH with rotate_secret true.',
  },
});
