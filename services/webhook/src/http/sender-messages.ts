import type { Message, Outcome } from './post-message.js';

/** A message to the thread, by a number that only its outcome shares. */
export type SendRequest = [id: number, message: Message];
export type SendResult = [id: number, outcome: Outcome];

/**
 * Returns a function that adds an item to the batch of this turn of the event loop, which is posted at its end: between
 * threads, a message of its own for each item would cost more than the item.
 */
export function batchByTurn<T>(post: (batch: T[]) => void): (item: T) => void {
  let batch: T[] = [];
  const postBatch = () => {
    const items = batch;
    batch = [];
    post(items);
  };
  return (item) => {
    if (batch.push(item) === 1) setImmediate(postBatch);
  };
}
