import type { Event } from '../../contract/event.js';

/** The message can never be handled: it is parked with the reason, not tried again. */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable';
}

/**
 * Something is in the way that only an operator can take away: these messages are tried again until then, and never parked.
 * The others of their batch have been handled.
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
