import { threadCpuMs } from '@waymark/kernel/process/thread-cpu';

const SAMPLE_EVERY_MS = 20;
const PERIOD_MS = 60_000;

/**
 * Measures for how long the main thread computes without returning to its event loop, which is how long all its clients
 * wait. It takes the CPU time of a turn, so that a busy machine does not add to it; garbage collection does. A turn appears
 * up to 20 ms too short or too long, since a timer that fires late reveals it.
 */
export class TurnMeter {
  private longestMs = 0;
  private longestBeforeMs = 0;
  private periodEndsAt = performance.now() + PERIOD_MS;
  private dueAt = performance.now() + SAMPLE_EVERY_MS;
  private cpuMs = threadCpuMs();
  private readonly timer = setInterval(() => this.sample(), SAMPLE_EVERY_MS).unref();

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns the longest turn of the last minute or two, in seconds. Reading does not reset it. */
  longestSeconds(): number {
    return Math.max(this.longestMs, this.longestBeforeMs) / 1000;
  }

  private sample(): void {
    const now = performance.now();
    const cpuMs = threadCpuMs();
    if (now > this.periodEndsAt) {
      this.longestBeforeMs = this.longestMs;
      this.longestMs = 0;
      this.periodEndsAt = now + PERIOD_MS;
    }
    this.longestMs = Math.max(this.longestMs, Math.min(now - this.dueAt, cpuMs - this.cpuMs));
    this.cpuMs = cpuMs;
    this.dueAt = now + SAMPLE_EVERY_MS;
  }
}
