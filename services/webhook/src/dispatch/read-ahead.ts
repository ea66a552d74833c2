import type { Attempt } from '../deliveries/attempt.js';

/** Counts the bodies that this process has read and not yet sent: the endpoints of all workspaces share the limit. */
export class ReadAhead {
  private held = 0;

  constructor(private readonly bytesMax: number) {}

  get bytes(): number {
    return this.held;
  }

  get isFull(): boolean {
    return this.held >= this.bytesMax;
  }

  addAttempts(attempts: readonly Attempt[]): void {
    this.held += bytesOf(attempts);
  }

  removeAttempts(attempts: readonly Attempt[]): void {
    this.held -= bytesOf(attempts);
  }
}

function bytesOf(attempts: readonly Attempt[]): number {
  return attempts.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
}
