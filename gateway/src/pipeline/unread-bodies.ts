import type { IncomingMessage, ServerResponse } from 'node:http';
import { NetworkSemaphore } from '@waymark/kernel/http/network-semaphore';

/** A client that sends slowly makes way for the next one after this time. */
const TURN_MS = 100;
/** Those that wait are bounded by the open connections. */
const WAITING = { waitingMax: Infinity, waitingPerKeyMax: Infinity, waitMaxMs: 60_000 };
const DISCARDING = {
  address: { ...WAITING, runningPerKeyMax: 1 },
  /** One turn of the event loop may read 2 MB from each connection; four connections take a few milliseconds. */
  site: { ...WAITING, runningMax: 4, runningPerKeyMax: 2 },
};

type Middleware<Request> = (request: Request, response: ServerResponse, next: () => void) => void;

/**
 * Discards the rest of a body after the response, of a few connections at a time: hundreds of rejected clients that send
 * large bodies would otherwise block the event loop. The addresses take turns.
 */
export function discardUnread<Request extends IncomingMessage>(
  addressOf: (request: Request) => string | null,
): Middleware<Request> {
  const turns = new NetworkSemaphore(DISCARDING);

  async function discardRest(request: Request): Promise<void> {
    const { socket } = request;
    const closed = new AbortController();
    const abort = () => closed.abort();
    // A request whose response has ended emits no `close`.
    socket.once('close', abort);
    try {
      while (!request.complete) {
        request.pause();
        await turns.run(addressOf(request), () => discardForOneTurn(request, closed.signal), closed.signal);
      }
    } catch {
      // The client has left, or has waited too long.
      socket.destroy();
    } finally {
      socket.off('close', abort);
    }
  }

  return (request, response, next) => {
    // Node has begun to discard the body itself.
    response.once('finish', () => {
      if (!request.complete && !request.socket.destroyed) void discardRest(request);
    });
    next();
  };
}

function discardForOneTurn(request: IncomingMessage, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(turn);
      request.off('end', stop);
      closed.removeEventListener('abort', stop);
      resolve();
    };
    const turn = setTimeout(stop, TURN_MS);
    closed.addEventListener('abort', stop);
    request.once('end', stop).resume();
  });
}
