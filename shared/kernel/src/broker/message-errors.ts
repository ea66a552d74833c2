import type { Event } from '@waymark/contract/event';

/** The message can never be handled: it is parked with the reason, not retried. */
export class UnprocessableMessage extends Error {
  override readonly name = 'UnprocessableMessage';
}

/**
 * Only an operator can remove the obstacle: until then these messages are retried, and never parked. The others of
 * their batch have been handled.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  constructor(
    message: string,
    readonly events: readonly Event[],
  ) {
    super(message);
  }
}
