/** Shorter than the broker's delay for held-back events: each redelivery then makes about one attempt per log. */
const LEFT_ALONE_MS = 8000;
const TELL_EVERY_MS = 60_000;

/**
 * Remembers which logs were blocked a moment ago: retrying all their events would delay other logs. Times are
 * monotonic.
 */
export class BlockedLogs {
  private readonly triedAgainAt = new Map<string, number>();
  private readonly toldAgainAt = new Map<string, number>();

  /** The workspaces that are not retried yet. */
  current(): Set<string> {
    const now = performance.now();
    return new Set([...this.triedAgainAt].filter(([, at]) => at > now).map(([workspace]) => workspace));
  }

  /** @returns the workspaces that have not been reported in the last minute */
  add(workspaces: string[]): string[] {
    const now = performance.now();
    const untold = workspaces.filter((workspace) => (this.toldAgainAt.get(workspace) ?? 0) <= now);
    for (const workspace of workspaces) this.triedAgainAt.set(workspace, now + LEFT_ALONE_MS);
    for (const workspace of untold) this.toldAgainAt.set(workspace, now + TELL_EVERY_MS);
    return untold;
  }
}
