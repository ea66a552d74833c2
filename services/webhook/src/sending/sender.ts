import type { Attempt } from '../deliveries/attempt.js';
import { takesScheduledAt, type Endpoint } from '../endpoints/endpoint.js';
import type { Outcome } from '../outbound/post.js';
import type { SendingContext } from './courier.js';
import type { Pace, Route } from './concurrency-pools.js';
import type { Recorder } from './recorder.js';
import type { Tenure } from './tenure.js';

/**
 * An endpoint that failed this often in a row is tried with one delivery at a time, and one a second, until one succeeds:
 * recording that all of its backlog fails too would take the database's time from the others.
 */
export const PROBE_AFTER_FAILURES = 10;
const PROBE_EVERY_MS = 1000;
/** So many for each place are taken at a time from a fast receiver, and may wait to be recorded. */
const TAKEN_PER_PLACE_MAX = 16;
const UNRECORDED_PER_PLACE = 8;
const FAST_MS = 1000;
/** With so many for each place still in hand the next are read: sending goes on meanwhile. */
const IN_HAND_PER_PLACE = 2;

interface Holder {
  tenure: Tenure;
  recorder: Recorder;
  /** False from when nothing more is to be started. */
  mayStart(): boolean;
  /** When there may be room for more, or nothing is left in hand. */
  onEnded(): void;
  onError(error: unknown): void;
}

/** Sends the attempts of one endpoint, no more at a time than it has places, and has it recorded how they ended. */
export class Sender {
  private readonly waiting: Attempt[] = [];
  private taken = { atOnce: 0, at: -Infinity };
  /** Sent or being sent, and not recorded yet. */
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

  /** What it has in hand already. */
  get attemptIds(): string[] {
    return [...this.open, ...this.waiting.map(({ _id }) => _id)];
  }

  /** In which pool its attempts are sent now. */
  get pace(): Pace {
    if (this.isProbing) return 'dead';
    return this.slow > 0 ? 'slow' : 'prompt';
  }

  /**
   * How many attempts it can take now: twice as many as before while the receiver is fast, one for each free place from
   * a slow one, so that what somebody asks for comes next.
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

  /** Forgets what it has taken and not started; it waits in the store. */
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

  /** Who is slow or fails has nothing read ahead: what somebody asks for comes first, and what comes next may change. */
  private get wantsMore(): boolean {
    const isSteady = this.slow === 0 && !this.isFailing;
    return this.waiting.length < (isSteady ? this.placesMax * IN_HAND_PER_PLACE : 1);
  }

  private get placesMax(): number {
    return this.isProbing ? 1 : this.ctx.config.WEBHOOK_ENDPOINT_CONCURRENCY;
  }

  /** One until there was an answer: so an endpoint that never answers takes one place of others for a second. */
  private get places(): number {
    return this.hasAnswered ? this.placesMax : 1;
  }

  private get hasPlace(): boolean {
    // Who fails is counted before more is sent: how much comes next depends on it.
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
      // Somebody may ask for something else first.
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

  /** @returns null when it was not sent: since it was taken, time was over or the endpoint has changed. */
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

  /** Opened once a look at the endpoint: for each attempt it would cost as much as the signature. */
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

/** The name alone: the ports of a host share its limit. */
const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/\.$/, '') ?? '';

/** A failed attempt like any other: it is retried, and the owner of the endpoint sees why. */
const unsigned = (): Outcome => ({
  ...{ startedAt: new Date(), durationMs: 0, statusCode: null, response: null, retryAfterMs: null },
  failure: {
    type: 'blocked',
    message: 'The signing secret could not be read. Rotate it: PATCH with rotate_secret true.',
  },
});
