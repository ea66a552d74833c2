/** Below what the broker keeps back what is given back: a log is tried about once in each round of what waits for it. */
const LEFT_ALONE_MS = 8000;
const TELL_EVERY_MS = 60_000;

/** Which logs could not go on a moment ago: to try all that waits for them would hold up the others. Times are of a steady clock. */
export class BlockedLogs {
  private readonly triedAgainAt = new Map<string, number>();
  private readonly toldAgainAt = new Map<string, number>();

  /** Those that are to be left alone. */
  current(): Set<string> {
    const now = performance.now();
    return new Set([...this.triedAgainAt].filter(([, at]) => at > now).map(([workspace]) => workspace));
  }

  /** @returns those that nobody has been told of for a minute */
  add(workspaces: string[]): string[] {
    const now = performance.now();
    const untold = workspaces.filter((workspace) => (this.toldAgainAt.get(workspace) ?? 0) <= now);
    for (const workspace of workspaces) this.triedAgainAt.set(workspace, now + LEFT_ALONE_MS);
    for (const workspace of untold) this.toldAgainAt.set(workspace, now + TELL_EVERY_MS);
    return untold;
  }
}
