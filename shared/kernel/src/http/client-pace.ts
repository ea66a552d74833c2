/** A slower client would need half an hour for 60 MB, and be cut off. */
const SLOW_BYTES_PER_SECOND = 32 * 1024;
/** Before, it may only be that a client with large buffers has yet to empty them. */
const SLOW_AFTER_MS = 60_000;

/**
 * Measures how fast a client takes a stream once its buffers are full. Only the time counts in which the stream waits for
 * the client, so that a slow source makes no client slow.
 */
export class ClientPace {
  private waitedMs = 0;
  private waitingSince?: number;
  private takenBytes = 0;

  get isSlow(): boolean {
    const waitingMs = this.waitingSince === undefined ? 0 : performance.now() - this.waitingSince;
    const waitedMs = this.waitedMs + waitingMs;
    return waitedMs > SLOW_AFTER_MS && this.takenBytes < (SLOW_BYTES_PER_SECOND * waitedMs) / 1000;
  }

  /** Counts what the client has taken, except what filled its buffers before the first wait. */
  addTaken(piece: string | Buffer): void {
    if (this.waitedMs > 0) this.takenBytes += Buffer.byteLength(piece);
  }

  async measureWait(wait: Promise<void>): Promise<void> {
    this.waitingSince = performance.now();
    await wait;
    this.waitedMs += performance.now() - this.waitingSince;
    this.waitingSince = undefined;
  }
}
