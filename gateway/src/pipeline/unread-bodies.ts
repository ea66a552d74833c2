import type { IncomingMessage, ServerResponse } from 'node:http';

/** One turn of the event loop may read 2 MB from each connection; four connections take a few milliseconds. */
const DISCARDING_MAX = 4;
/** A client that sends slowly makes way for the next one after this time. */
const TURN_MS = 100;

/**
 * Discards the rest of a body after the response, of a few connections at a time: hundreds of rejected clients that send
 * large bodies would otherwise block the event loop.
 */
export function discardUnread(): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  const waiting = new Set<IncomingMessage>();
  let discarding = 0;

  function discardNext(): void {
    for (const request of waiting) {
      if (discarding === DISCARDING_MAX) return;
      waiting.delete(request);
      if (!request.socket.destroyed) discard(request);
    }
  }

  function discard(request: IncomingMessage): void {
    discarding += 1;
    const stop = () => {
      clearTimeout(turn);
      request.off('end', stop);
      request.socket.off('close', stop);
      discarding -= 1;
      postpone(request);
    };
    const turn = setTimeout(stop, TURN_MS);
    request.once('end', stop).resume();
    // A request whose response has ended emits no `close`.
    request.socket.once('close', stop);
  }

  function postpone(request: IncomingMessage): void {
    if (!request.complete && !request.socket.destroyed) waiting.add(request.pause());
    discardNext();
  }

  return (request, response, next) => {
    // Node has begun to discard the body itself.
    response.once('finish', () => postpone(request));
    next();
  };
}
