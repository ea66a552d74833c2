import type { Response } from 'express';
import { ClientPace } from './client-pace.js';
import { sendStream } from './content.js';
import type { Limits } from './limits.js';
import type { Reply } from './reply.js';
import { sendJson } from './send-json.js';

interface Recipient {
  limits: Limits;
  caller: string;
  workspace: string;
}

/**
 * Sends a reply to this caller, within the limits on the long replies that are read at the same time. One that has to make
 * room for others loses its connection, as nothing else tells the client that the reply is incomplete.
 */
export async function sendReply(
  response: Response,
  reply: Reply,
  { limits, caller, workspace }: Recipient,
): Promise<void> {
  // Nothing would release the reservation of an answer to a client that has disconnected.
  if (response.destroyed) return;
  const { body, content, headers = {}, streamLimit = 'exports' } = reply;
  const endable = { workspace, end: () => void response.destroy() };
  const isStream = typeof content === 'object' && !Buffer.isBuffer(content);
  if (isStream && response.req.method !== 'HEAD') {
    const pace = new ClientPace();
    const use = { ...endable, isSlow: () => pace.isSlow };
    const release = await limits[streamLimit].acquire(1, caller, use);
    // The client may have disconnected while it waited.
    if (response.destroyed) return release();
    response.once('close', release);
    return sendStream(response, content, { headers, pace });
  }
  response.set(headers);
  if (content !== undefined) response.end(isStream ? undefined : content);
  else if (body === undefined) response.end();
  else {
    await sendJson(response, body, {
      // Ends no other answer: this one may be refused once its memory is known.
      reserveEstimate: () => limits.answerEstimates.acquire(1, caller),
      reserve: (bytes) => limits.longAnswers.reserve(bytes, caller, endable),
    });
  }
}
