/** Shorter than the broker's delay for held-back events: each redelivery then makes about one attempt per log. */
const RETRY_DELAY_MS = 8000;
const REPORT_INTERVAL_MS = 60_000;

/**
 * Remembers which logs were blocked a moment ago: retrying all their events would delay other logs. Times are
 * monotonic.
 */
export class BlockedLogs {
  private readonly retryAt = new Map<string, number>();
  private readonly reportAgainAt = new Map<string, number>();

  /** Returns the workspaces that are not retried yet. */
  blockedWorkspaces(): Set<string> {
    removePast(this.retryAt);
    return new Set(this.retryAt.keys());
  }

  /** @returns the workspaces that have not been reported in the last minute */
  recordBlocked(workspaces: string[]): string[] {
    removePast(this.reportAgainAt);
    const now = performance.now();
    const unreported = workspaces.filter((workspace) => !this.reportAgainAt.has(workspace));
    for (const workspace of workspaces) this.retryAt.set(workspace, now + RETRY_DELAY_MS);
    for (const workspace of unreported) this.reportAgainAt.set(workspace, now + REPORT_INTERVAL_MS);
    return unreported;
  }
}

function removePast(times: Map<string, number>): void {
  const now = performance.now();
  for (const [workspace, time] of times) if (time <= now) times.delete(workspace);
}
