/** A slower client would need half an hour for 60 MB, and be cut off. */
const SLOW_BYTES_PER_SECOND = 32 * 1024;
/** A minute behind, it may only be that a client with large buffers has yet to empty them. */
const SLOW_BEHIND_MS = 60_000;
/** Caps the debt, so that a client that has become fast is no longer slow after a few megabytes. */
const BEHIND_MAX_MS = 2 * SLOW_BEHIND_MS;

/**
 * Measures how far a client is behind the least speed, once its buffers are full. Only the time counts in which the stream
 * waits for the client, so that a slow source makes no client slow; and a fast period earns no credit.
 */
export class ClientPace {
  private behindMs = 0;
  private waitingSince?: number;

  get isSlow(): boolean {
    const waitingMs = this.waitingSince === undefined ? 0 : performance.now() - this.waitingSince;
    return this.behindMs + waitingMs > SLOW_BEHIND_MS;
  }

  addTaken(piece: string | Buffer): void {
    const allowedMs = (Buffer.byteLength(piece) / SLOW_BYTES_PER_SECOND) * 1000;
    this.behindMs = Math.max(0, this.behindMs - allowedMs);
  }

  async measureWait(wait: Promise<void>): Promise<void> {
    this.waitingSince = performance.now();
    await wait;
    const behindMs = this.behindMs + performance.now() - this.waitingSince;
    this.behindMs = Math.min(behindMs, BEHIND_MAX_MS);
    this.waitingSince = undefined;
  }
}
