import type { ManagedProcess } from '@waymark/launcher/managed-process';
import type { ProcessName } from '@waymark/launcher/process-table';
import type { ManifestResources } from './manifest-resources.js';

const SAMPLE_EVERY_MS = 250;

export interface MemoryPeak {
  peak_mb: number;
  limit_mb: number;
}

/** Records the largest resident memory of every process of a system, replicas and restarts included. */
export class MemoryWatch {
  private readonly peaks = new Map<ProcessName, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly processes: () => ManagedProcess[],
    private readonly resources: Record<ProcessName, ManifestResources>,
  ) {
    this.timer = setInterval(() => this.sample(), SAMPLE_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The peak of each kind of process beside the limit of its container, in MiB. */
  report(): Record<string, MemoryPeak> {
    this.sample();
    return Object.fromEntries(
      [...this.peaks].map(([name, peak]) => [
        name,
        { peak_mb: Math.round(peak), limit_mb: this.resources[name].containerMb },
      ]),
    );
  }

  private sample(): void {
    for (const process of this.processes()) {
      const resident = process.peakResidentMegabytes();
      if (resident > (this.peaks.get(process.name) ?? 0)) this.peaks.set(process.name, resident);
    }
  }
}
