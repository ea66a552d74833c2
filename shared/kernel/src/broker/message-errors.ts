/** The message can never be handled: it is parked with the reason, not retried. */
export class UnprocessableMessage extends Error {
  override readonly name = 'UnprocessableMessage';
}

/** The messages of the batch cannot be handled during an outage: they are retried until it is over, and never parked. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
}
