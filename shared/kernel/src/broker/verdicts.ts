import type { Event } from '@waymark/contract/event';

/** The message can never be handled: it is parked with the reason, not retried. */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable';
}

/**
 * Only an operator can remove the obstacle: until then these messages are retried, and never parked. The others of
 * their batch have been handled.
 */
export class HeldBack extends Error {
  override readonly name = 'HeldBack';
  constructor(
    message: string,
    readonly events: readonly Event[],
  ) {
    super(message);
  }
}
