import type { ManagedProcess } from '@waymark/launcher/managed-process';

const SAMPLE_EVERY_MS = 20_000;
/** The metric has the last two minutes, and a process that starts computes for longer than any request makes it. */
const START_MS = 130_000;
/** 50 ms are permitted. This machine may be three times slower than others, or than itself in another hour. */
const TURN_MAX_MS = 150;

/** Records the longest turn of the event loop of every process of a system, from two minutes after its start. */
export class TurnWatch {
  private readonly longest = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt = performance.now();

  constructor(private readonly processes: () => ManagedProcess[]) {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS);
  }

  /** Returns the CPU time of the longest turn of each kind of process, in milliseconds. */
  async stop(): Promise<{ turns_ms: Record<string, number>; isShort: boolean }> {
    clearInterval(this.timer);
    await this.sample();
    const turns = Object.fromEntries(this.longest);
    return { turns_ms: turns, isShort: Object.values(turns).every((ms) => ms <= TURN_MAX_MS) };
  }

  /** What a process that does not answer did is in the next sample. */
  private async sample(): Promise<void> {
    if (performance.now() - this.startedAt < START_MS) return;
    for (const process of this.processes()) {
      const seconds = await process.metric('waymark_longest_turn_seconds').catch(() => 0);
      this.longest.set(process.name, Math.max(Math.round(seconds * 1000), this.longest.get(process.name) ?? 0));
    }
  }
}
