import { bodyBytes, type Attempt } from '../deliveries/attempt.js';

/** One workspace holds at most a quarter of the bytes, and the last body that it adds may exceed this. */
const WORKSPACE_SHARE = 4;

/** Bounds the bodies that this process has read and not yet sent, for each workspace and for all of them together. */
export class ReadAhead {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(private readonly bytesMax: number) {}

  get bytes(): number {
    return this.held;
  }

  isFullFor(workspace: string): boolean {
    return this.held >= this.bytesMax || this.bytesOf(workspace) >= this.bytesMax / WORKSPACE_SHARE;
  }

  /**
   * Adds attempts in their order until their workspace has no room left. The room is checked again here, since many
   * endpoints may have started to read while there was room for one of them.
   * @param countMin added even without room, so that an endpoint with nothing else to send continues
   * @returns those it has added
   */
  addAttempts(attempts: readonly Attempt[], countMin: number): Attempt[] {
    const added: Attempt[] = [];
    for (const attempt of attempts) {
      if (added.length >= countMin && this.isFullFor(attempt.workspace)) break;
      this.add(attempt.workspace, bodyBytes(attempt));
      added.push(attempt);
    }
    return added;
  }

  removeAttempts(attempts: readonly Attempt[]): void {
    for (const attempt of attempts) this.add(attempt.workspace, -bodyBytes(attempt));
  }

  private add(workspace: string, bytes: number): void {
    this.held += bytes;
    const held = this.bytesOf(workspace) + bytes;
    if (held > 0) this.heldBy.set(workspace, held);
    else this.heldBy.delete(workspace);
  }

  private bytesOf(workspace: string): number {
    return this.heldBy.get(workspace) ?? 0;
  }
}
